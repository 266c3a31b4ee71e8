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
        lookAtQueueLog()
        var trouble: (text: String, kind: Trouble)?
        do throws(SystemCallError) {
            try LaneStatusFile(path: configuration.queue.laneStatus).write(self)
        } catch {
            trouble = ("state of the lanes not written: \(error)", Trouble(error.errno))
        }
        if let directory = configuration.metrics.directory {
            // A queue that can't be read now leaves its last numbers standing; its own trouble is told elsewhere.
            if let counts = try? store.counts(now: now) { metrics.queue = counts }
            do throws(SystemCallError) {
                try Textfile(directory: directory, name: DispatchMetrics.name).write(
                    metrics.text(
                        lanes: sortedLanes, resolver: resolver, clockSkew: clockSkew.seconds, now: now))
            } catch {
                trouble = ("counters not written: \(error)", Trouble(error.errno))
            }
        }
        if let trouble, trouble.text != toldTrouble {
            metrics.count(trouble.kind)
            log.warning(trouble.text)
        }
        if trouble == nil, toldTrouble != nil { log.info("state of the lanes and counters: written again") }
        toldTrouble = trouble?.text
    }

    /// Tells once of a write-ahead log that can't be emptied, and once that it is short again.
    private func lookAtQueueLog() {
        metrics.queueLogBytes = store.logBytes
        let isLong = store.logBytes > QueueStore.longestLog
        guard isLong != toldLongLog else { return }
        toldLongLog = isLong
        let path = "\(configuration.queue.path)-wal"
        guard isLong else { return log.info("\(path): is short again") }
        log.warning(
            "\(path): has grown to \(store.logBytes >> 20) MiB, because a program goes on reading the queue; "
                + "fuser -v \(path) names it")
    }
}
