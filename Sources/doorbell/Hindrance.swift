internal import Posix
internal import Queue
internal import Settings

/// What keeps deliveries waiting that are due.
struct Hindrance {
    let pushIsOffBecause: String?
    let dispatchRuns: Bool
    let lanes: [LaneReport.Lane]

    /// Looks at the configuration, dispatch's lock and what it last noted of its lanes.
    init(_ configuration: Configuration) throws(SystemCallError) {
        pushIsOffBecause = configuration.pushIsDisabledBecause
        dispatchRuns = try LockFile.holder(path: configuration.queue.dispatchLock) != nil
        lanes = try LaneReport.read(configuration.queue.laneStatus)?.lanes ?? []
    }

    init(pushIsOffBecause: String?, dispatchRuns: Bool, lanes: [LaneReport.Lane]) {
        self.pushIsOffBecause = pushIsOffBecause
        self.dispatchRuns = dispatchRuns
        self.lanes = lanes
    }

    /// Why nothing goes to a device now; nil: nothing keeps it.
    func of(_ device: Device) -> String? {
        if let pushIsOffBecause { return "push is off: \(pushIsOffBecause)" }
        guard dispatchRuns else { return "dispatch doesn't run" }
        let lane = lanes.first { $0.environment == device.environment && $0.topic == device.topic }
        return lane?.trouble.map { "its lane is paused: \($0.reason) (\($0.kind))" }
    }
}
