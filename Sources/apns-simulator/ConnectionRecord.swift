internal import HTTP2
internal import JSON
internal import Posix

/// What happened to a connection, beside its requests.
struct ConnectionRecord {
    enum Event {
        case connected(ConnectionScript?)
        /// A step of its script began.
        case began(ConnectionStep)
        /// A request that has its line ended without an answer: reset by the client, or given up by a GOAWAY.
        case unanswered(stream: Int32, ErrorCode)
        /// It is over, and these requests that have their lines had no answer, or not all of it has left.
        case closed(bySimulator: Bool, unanswered: [Int32])
    }

    let connection: Int
    let at: WallTime
    let event: Event

    /// One JSON object and a newline.
    var line: [UInt8] {
        var json = JSONText()
        json.beginObject()
        json.key("event")
        json.string(name.utf8)
        json.key("at")
        json.integer(at.milliseconds)
        json.key("connection")
        json.integer(Int64(connection))
        appendDetails(to: &json)
        json.endObject()
        return json.bytes + [UInt8(ascii: "\n")]
    }

    private var name: String {
        switch event {
        case .connected: "connected"
        case .began(let step): step.name
        case .unanswered: "unanswered"
        case .closed: "closed"
        }
    }

    private func appendDetails(to json: inout JSONText) {
        switch event {
        case .connected(let script):
            json.key("script")
            if let script { json.string("\(script)".utf8) } else { json.null() }
        case .began(let step):
            json.key("step")
            json.string("\(step)".utf8)
        case .unanswered(let stream, let code):
            json.key("stream")
            json.integer(Int64(stream))
            json.key("code")
            json.string("\(code)".utf8)
        case .closed(let bySimulator, let unanswered):
            json.key("by")
            json.string((bySimulator ? "simulator" : "client").utf8)
            json.key("unanswered")
            json.beginArray()
            for stream in unanswered { json.integer(Int64(stream)) }
            json.endArray()
        }
    }
}
