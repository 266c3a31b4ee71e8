internal import Posix
internal import Queue
internal import Settings

/// What keeps wakes waiting.
struct Hindrance {
    let pushIsOffBecause: String?
    let dispatchRuns: Bool
    let drainRuns: Bool
    let lanes: [LaneReport.Lane]

    /// Looks at the configuration, the daemons' locks and what dispatch last noted of its lanes.
    init(_ configuration: Configuration) throws(SystemCallError) {
        pushIsOffBecause = configuration.pushIsDisabledBecause
        dispatchRuns = try LockFile.holder(path: configuration.queue.dispatchLock) != nil
        drainRuns = try LockFile.holder(path: configuration.queue.drainLock) != nil
        lanes = try LaneReport.read(configuration.queue.laneStatus)?.lanes ?? []
    }

    init(
        pushIsOffBecause: String? = nil, dispatchRuns: Bool = true, drainRuns: Bool = true,
        lanes: [LaneReport.Lane] = []
    ) {
        self.pushIsOffBecause = pushIsOffBecause
        self.dispatchRuns = dispatchRuns
        self.drainRuns = drainRuns
        self.lanes = lanes
    }

    /// Why nothing goes to anybody now; nil: nothing keeps it.
    var ofAll: String? {
        if let pushIsOffBecause { return "push is off (\(pushIsOffBecause))" }
        return dispatchRuns ? nil : "dispatch doesn't run"
    }

    /// Why nothing goes to a device now; nil: nothing keeps it.
    func of(_ device: Device) -> String? {
        if let ofAll { return ofAll }
        let lane = lanes.first { $0.environment == device.environment && $0.topic == device.topic }
        return lane?.trouble.map { "its lane is paused, \($0.reason) (\($0.kind))" }
    }
}
