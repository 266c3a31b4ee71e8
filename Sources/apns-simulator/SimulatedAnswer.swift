internal import HTTP2
internal import JSON
internal import Posix

/// What goes back for one request.
struct SimulatedAnswer: Equatable {
    let status: Int
    /// As the body tells it.
    let reason: String?
    /// The request's own, or an invented one.
    let apnsID: String
    /// As the body tells it, only with 410.
    let timestamp: WallTime?
    /// As its field has it.
    let retryAfter: String?
    /// As its field has it.
    let date: String?
    let form: AnswerStep.Body
    /// How long it is held back.
    let delay: Duration

    /// Answers a request that was refused.
    init(_ refusal: RefusalReason, apnsID: String, now: WallTime) {
        self.init(AnswerStep(status: refusal.status, reason: refusal.rawValue), apnsID: apnsID, now: now)
    }

    /// Answers by the script a request that was accepted.
    init(_ step: AnswerStep, apnsID: String, now: WallTime) {
        status = step.status
        reason = [.json, .split].contains(step.body) ? step.reason : nil
        self.apnsID = apnsID
        timestamp = step.status == 410 && reason != nil ? step.timestamp?.resolved(now) ?? now : nil
        retryAfter =
            switch step.retryAfter {
            case .seconds(let seconds): "\(seconds)"
            case .at(let time): HTTPDate.text(time.resolved(now))
            case nil: nil
            }
        date = HTTPDate.text(step.date.resolved(now))
        form = step.body
        delay = step.delay
    }

    /// The response's fields.
    var headers: [HeaderField] {
        let fields = [("date", date), ("retry-after", retryAfter)].compactMap { name, value in
            value.map { HeaderField(name, $0) }
        }
        return [HeaderField(":status", "\(status)"), HeaderField("apns-id", apnsID, indexing: .never)]
            + fields
    }

    /// The response's body: none with 200, else the reason, where the script asks for nothing else.
    var body: [UInt8] {
        switch form {
        case .json, .split: json
        case .none: []
        case .html: Array("<html><body><h1>\(status)</h1></body></html>\n".utf8)
        }
    }

    /// How many bytes of the body one DATA frame holds at most.
    var frameBytes: Int { form == .split ? 1 : .max }

    private var json: [UInt8] {
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
