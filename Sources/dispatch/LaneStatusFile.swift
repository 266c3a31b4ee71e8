internal import APNs
internal import JSON
internal import Posix
internal import Resolution

/// Tells `doorbell status` how the lanes and the mail servers that are asked for uids are, beside the queue.
struct LaneStatusFile {
    let path: String

    /// The file's text: `{"lanes":[…],"mail_servers":[…],"clock_skew":SECONDS,"at":MS}`.
    ///
    /// A lane is `{"environment":…,"topic":…,"connections":N,"in_hand":N,"state":…}`, where the state is `open`,
    /// `paused` or `probing`. `stand_in` is there where somebody is in Apple's place. When it isn't open, `trouble` (a
    /// word of `LaneMachine.Trouble`), `reason` and `since` follow, and `next_try` when it is paused. `clock_skew` is
    /// there once Apple has told its time: how far this machine's clock is ahead of it. A mail server is
    /// `{"service":…,"address":…,"asked":…,"connections":N}`, and when it isn't asked for a while `reason` and `since`
    /// follow, and when it doesn't let us in `refusal` and `refused_since`. Where the configuration was refused when it
    /// was to be read again, `refused` says why, and `refused_since` since when. Times are milliseconds since the epoch.
    static func text(_ dispatcher: Dispatcher) -> [UInt8] {
        let resolver = dispatcher.resolver
        var text = JSONText()
        text.beginObject()
        text.key("lanes")
        text.beginArray()
        for lane in dispatcher.sortedLanes { write(lane, dispatcher, &text) }
        text.endArray()
        text.key("mail_servers")
        text.beginArray()
        for service in resolver.services { write(service, resolver, &text) }
        text.endArray()
        if let refusal = dispatcher.refusal {
            text.key("refused")
            text.string(refusal.reason.utf8)
            text.key("refused_since")
            text.integer(refusal.since.milliseconds)
        }
        if let clockSkew = dispatcher.clockSkew.seconds {
            text.key("clock_skew")
            text.integer(clockSkew)
        }
        text.key("at")
        text.integer(dispatcher.clocks.wall().milliseconds)
        text.endObject()
        return text.bytes + [0x0A]
    }

    private static func write(_ lane: Lane, _ dispatcher: Dispatcher, _ text: inout JSONText) {
        let clocks = dispatcher.clocks
        text.beginObject()
        text.key("environment")
        text.string(lane.name.environment.rawValue.utf8)
        text.key("topic")
        text.string(lane.name.topic.utf8)
        if let standIn = dispatcher.provider?.standIn(for: lane.name.environment) {
            text.key("stand_in")
            text.string(standIn.utf8)
        }
        text.key("connections")
        text.integer(Int64(lane.connections.count))
        text.key("in_hand")
        text.integer(Int64(lane.inHand.count))
        text.key("state")
        let until = lane.machine.pausedUntil
        text.string((lane.machine.trouble == nil ? "open" : until == nil ? "probing" : "paused").utf8)
        if let trouble = lane.machine.trouble, let since = lane.pausedSince {
            text.key("trouble")
            text.string(trouble.rawValue.utf8)
            text.key("reason")
            text.string((lane.machine.reason ?? "").utf8)
            text.key("since")
            text.integer(since.milliseconds)
            if let until {
                text.key("next_try")
                text.integer(clocks.wall().advanced(by: until - clocks.boot()).milliseconds)
            }
        }
        text.endObject()
    }

    private static func write(_ service: Service, _ resolver: Resolver, _ text: inout JSONText) {
        text.beginObject()
        text.key("service")
        text.string(service.rawValue.utf8)
        if let address = resolver.address(of: service) {
            text.key("address")
            text.string(address.description.utf8)
        }
        text.key("asked")
        text.boolean(resolver.asked.contains(service))
        text.key("connections")
        text.integer(Int64(resolver.connections(to: service)))
        if let pause = resolver.pauses[service] {
            text.key("reason")
            text.string(pause.reason.utf8)
            text.key("since")
            text.integer(pause.since.milliseconds)
        }
        if let refused = resolver.refused(by: service) {
            text.key("refusal")
            text.string(refused.reason.utf8)
            text.key("refused_since")
            text.integer(refused.since.milliseconds)
        }
        text.endObject()
    }

    /// Replaces the file.
    func write(_ dispatcher: Dispatcher) throws(SystemCallError) {
        try ReplacedFile.write(Self.text(dispatcher), to: path, mode: 0o640)
    }
}
