internal import JSON
internal import Posix
internal import Queue

extension Status {
    /// For programs: one object on one line.
    ///
    /// Times are milliseconds since the epoch, ages milliseconds, the clock's skew seconds.
    var json: String {
        var text = JSONText()
        text.beginObject()
        text.key("push")
        text.string((pushIsOffBecause == nil ? "on" : "off").utf8)
        text.key("push_off_reason")
        text.optionalString(pushIsOffBecause)
        text.key("drain_process")
        text.process(drain)
        text.key("dispatch_process")
        text.process(dispatch)
        let refusal = dispatch == nil ? nil : lanes?.refusal
        text.key("configuration_refused")
        text.optionalString(refusal?.reason)
        text.key("configuration_refused_since")
        text.optionalInteger(refusal?.since.milliseconds)
        let spool = try? spool.get()
        text.key("spool_waiting")
        text.optionalInteger((spool?.waiting).map(Int64.init))
        text.key("spool_set_aside")
        text.optionalInteger((spool?.setAside).map(Int64.init))
        text.key("clock_skew")
        text.optionalInteger(lanes?.clockSkew)
        write(lanes, &text)
        write(lanes?.mailServers ?? [], &text)
        writeQueue(&text)
        text.endObject()
        return String(decoding: text.bytes, as: UTF8.self) + "\n"
    }

    private func write(_ report: LaneReport?, _ text: inout JSONText) {
        text.key("lanes_at")
        text.optionalInteger(report?.at.milliseconds)
        text.key("lanes")
        text.beginArray()
        for lane in report?.lanes ?? [] {
            text.beginObject()
            text.key("environment")
            text.string(lane.environment.utf8)
            text.key("topic")
            text.string(lane.topic.utf8)
            text.key("stand_in")
            text.optionalString(lane.standIn)
            text.key("connections")
            text.integer(lane.connections)
            text.key("in_hand")
            text.integer(lane.inHand)
            text.key("paused")
            text.optionalString(lane.trouble?.reason)
            text.key("trouble")
            text.optionalString(lane.trouble?.kind)
            text.key("since")
            text.optionalInteger(lane.trouble?.since?.milliseconds)
            text.key("next_try")
            text.optionalInteger(lane.trouble?.nextTry?.milliseconds)
            text.endObject()
        }
        text.endArray()
    }

    private func write(_ servers: [LaneReport.MailServer], _ text: inout JSONText) {
        text.key("mail_servers")
        text.beginArray()
        for server in servers {
            text.beginObject()
            text.key("service")
            text.string(server.service.utf8)
            text.key("address")
            text.optionalString(server.address)
            text.key("asked")
            text.boolean(server.isAsked)
            text.key("connections")
            text.integer(server.connections)
            text.key("paused")
            text.optionalString(server.reason)
            text.key("since")
            text.optionalInteger(server.since?.milliseconds)
            text.key("refusal")
            text.optionalString(server.refusal)
            text.key("refused_since")
            text.optionalInteger(server.refusedSince?.milliseconds)
            text.endObject()
        }
        text.endArray()
    }

    private func writeQueue(_ text: inout JSONText) {
        let numbers: [(StaticString, Int)] = [
            ("devices_live", counts.liveDevices), ("devices_suspect", counts.suspectDevices),
            ("devices_disabled", counts.disabledDevices), ("devices_throttled", counts.throttledDevices),
            ("waiting", counts.waiting), ("queued", counts.queued), ("deferred", counts.deferred),
        ]
        for (name, number) in numbers {
            text.key(name)
            text.integer(Int64(number))
        }
        text.key("oldest_age")
        text.optionalInteger(oldestAge?.wholeMilliseconds)
        text.key("ends")
        text.beginArray()
        for end in counts.ends {
            text.beginObject()
            text.key("end")
            text.string(end.end.utf8)
            text.key("reason")
            text.string(end.reason.utf8)
            text.key("count")
            text.integer(end.count)
            text.endObject()
        }
        text.endArray()
    }
}

extension JSONText {
    fileprivate mutating func optionalString(_ text: String?) {
        if let text { string(text.utf8) } else { null() }
    }

    /// A number; a text where the id can't be read, as any number could be another process's.
    fileprivate mutating func process(_ id: String?) {
        if let number = id.flatMap({ Int64($0) }) { integer(number) } else { optionalString(id) }
    }

    fileprivate mutating func optionalInteger(_ value: Int64?) {
        if let value { integer(value) } else { null() }
    }
}
