internal import Posix
internal import Queue
internal import Reporting
internal import Settings

/// What the dispatcher lets others see of itself.
extension Dispatcher {
    /// Publishes counters and the lanes' state; trouble with that is told once and holds up nothing.
    func report(force: Bool) throws(QueueError) {
        let now = clocks.wall()
        guard timetable.isDue(.report, now: clocks.boot()) || force else { return }
        var trouble: String?
        do throws(SystemCallError) {
            try LaneStatusFile(path: configuration.queue.laneStatus).write(sortedLanes, at: now)
        } catch {
            trouble = "state of the lanes not written: \(error)"
        }
        if let directory = configuration.metrics.directory {
            let text = metrics.text(try store.counts(now: now), lanes: sortedLanes, now: now)
            do throws(SystemCallError) {
                try Textfile(directory: directory, name: "doorbell-dispatch").write(text)
            } catch {
                trouble = "counters not written: \(error)"
            }
        }
        if let trouble, trouble != toldTrouble { log.warning(trouble) }
        toldTrouble = trouble
    }
}
