internal import HTTP2
internal import JSON
internal import Posix

/// What goes back for one request.
struct SimulatedAnswer: Equatable {
    let status: Int
    let reason: String?
    /// The request's own, or an invented one.
    let apnsID: String
    /// Only with 410.
    let timestamp: WallTime?
    let retryAfterSeconds: Int?
    /// How long it is held back.
    let delay: Duration

    /// Answers a request that was refused.
    init(_ refusal: RefusalReason, apnsID: String) {
        status = refusal.status
        reason = refusal.rawValue
        self.apnsID = apnsID
        timestamp = nil
        retryAfterSeconds = nil
        delay = .zero
    }

    /// Answers by the script a request that was accepted.
    init(_ step: AnswerStep, apnsID: String, now: WallTime) {
        status = step.status
        reason = step.reason
        self.apnsID = apnsID
        timestamp =
            switch (step.status, step.timestamp) {
            case (410, nil): now
            case (410, .at(let time)): time
            case (410, .ago(let span)): now.advanced(by: .zero - span)
            default: nil
            }
        retryAfterSeconds = step.retryAfterSeconds
        delay = step.delay
    }

    /// The response's fields.
    var headers: [HeaderField] {
        [HeaderField(":status", "\(status)"), HeaderField("apns-id", apnsID, indexing: .never)]
            + (retryAfterSeconds.map { [HeaderField("retry-after", "\($0)")] } ?? [])
    }

    /// The response's body: none with 200, else the reason.
    var body: [UInt8] {
        guard let reason else { return [] }
        var json = JSONText()
        json.beginObject()
        json.key("reason")
        json.string(reason.utf8)
        if let timestamp {
            json.key("timestamp")
            json.integer(timestamp.milliseconds)
        }
        json.endObject()
        return json.bytes
    }
}
