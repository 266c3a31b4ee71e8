internal import APNs
internal import JSON
internal import Posix

/// Tells `doorbell status` how the lanes are, beside the queue.
struct LaneStatusFile {
    let path: String

    /// The file's text: `{"lanes":[{"environment":…,"topic":…,"state":"open"|"paused","reason":…,"since":MS}],"at":MS}`.
    static func text(_ lanes: [Lane], at now: WallTime) -> [UInt8] {
        var text = JSONText()
        text.beginObject()
        text.key("lanes")
        text.beginArray()
        for lane in lanes {
            text.beginObject()
            text.key("environment")
            text.string(lane.name.environment.rawValue.utf8)
            text.key("topic")
            text.string(lane.name.topic.utf8)
            text.key("state")
            text.string((lane.machine.reason == nil ? "open" : "paused").utf8)
            if let reason = lane.machine.reason, let since = lane.pausedSince {
                text.key("reason")
                text.string(reason.utf8)
                text.key("since")
                text.integer(since.milliseconds)
            }
            text.endObject()
        }
        text.endArray()
        text.key("at")
        text.integer(now.milliseconds)
        text.endObject()
        return text.bytes + [0x0A]
    }

    /// Replaces the file.
    func write(_ lanes: [Lane], at now: WallTime) throws(SystemCallError) {
        try ReplacedFile.write(Self.text(lanes, at: now), to: path, mode: 0o640)
    }
}
