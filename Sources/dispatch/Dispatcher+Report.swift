internal import APNs
internal import Posix
internal import Queue
internal import Reporting
internal import Settings

/// What the dispatcher lets others see of itself.
extension Dispatcher {
    /// Publishes counters and the lanes' state; trouble with that is told once and holds up nothing.
    func report() {
        let now = clocks.wall()
        var trouble: String?
        do throws(SystemCallError) {
            try LaneStatusFile(path: configuration.queue.laneStatus).write(
                sortedLanes, clockSkew: clockSkew.seconds, clocks: clocks)
        } catch {
            trouble = "state of the lanes not written: \(error)"
        }
        if let directory = configuration.metrics.directory {
            // A queue that can't be read now leaves its last numbers standing; its own trouble is told elsewhere.
            if let counts = try? store.counts(now: now) { metrics.queue = counts }
            do throws(SystemCallError) {
                try Textfile(directory: directory, name: "doorbell-dispatch").write(
                    metrics.text(lanes: sortedLanes, clockSkew: clockSkew.seconds, now: now))
            } catch {
                trouble = "counters not written: \(error)"
            }
        }
        if let trouble, trouble != toldTrouble { log.warning(trouble) }
        toldTrouble = trouble
    }
}
