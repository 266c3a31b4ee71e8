internal import HTTP2
internal import JSON
internal import Posix

/// What Apple would have seen of one request, and what it got back.
///
/// The provider token itself isn't shown: whoever reads it could send pushes for an hour.
struct Record {
    let connection: Int
    let stream: Int32
    /// Streams open on this connection when the request was complete, its own among them.
    let openStreams: Int
    let at: WallTime
    let request: PushRequest
    let providerToken: CheckedToken
    /// The request's own, or an invented one.
    let apnsID: String
    let outcome: Outcome

    /// What came of it.
    enum Outcome {
        case answered(SimulatedAnswer)
        case reset(ErrorCode)
        case ignored
    }

    /// One JSON object and a newline.
    var line: [UInt8] {
        var json = JSONText()
        json.beginObject()
        json.key("event")
        json.string("request".utf8)
        json.key("at")
        json.integer(at.milliseconds)
        json.key("connection")
        json.integer(Int64(connection))
        json.key("stream")
        json.integer(Int64(stream))
        json.key("streams_open")
        json.integer(Int64(openStreams))
        // Pairs, as an object could hold no repeated field and would lose their order.
        json.key("headers")
        json.beginArray()
        for field in request.headers { append(field, to: &json) }
        json.endArray()
        json.key("provider_token")
        append(providerToken, to: &json)
        json.key("body")
        json.string(String(decoding: request.body, as: UTF8.self).utf8)
        let answer = if case .answered(let answer) = outcome { answer } else { SimulatedAnswer?.none }
        json.key("status")
        if let answer { json.integer(Int64(answer.status)) } else { json.null() }
        json.key("reason")
        if let reason = answer?.reason { json.string(reason.utf8) } else { json.null() }
        if let timestamp = answer?.timestamp {
            json.key("timestamp")
            json.integer(timestamp.milliseconds)
        }
        if let delay = answer?.delay, delay > .zero {
            json.key("delay")
            json.integer(delay.wholeMilliseconds)
        }
        json.key("apns_id")
        json.string(apnsID.utf8)
        if case .reset(let code) = outcome {
            json.key("reset")
            json.string("\(code)".utf8)
        }
        json.endObject()
        return json.bytes + [UInt8(ascii: "\n")]
    }

    private func append(_ field: HeaderField, to json: inout JSONText) {
        json.beginArray()
        json.string(field.name.utf8)
        if field.name == "authorization" {
            json.string("bearer (\(providerToken.fault == nil ? "verified" : "refused"))".utf8)
        } else {
            json.string(field.value.utf8)
        }
        json.endArray()
    }

    private func append(_ checked: CheckedToken, to json: inout JSONText) {
        guard let token = checked.token else { return json.null() }
        json.beginObject()
        json.key("alg")
        append(token.header["alg"], to: &json)
        json.key("kid")
        append(token.header["kid"], to: &json)
        json.key("iss")
        append(token.claims["iss"], to: &json)
        json.key("iat")
        append(token.claims["iat"], to: &json)
        json.endObject()
    }

    /// Strings and whole numbers, as these fields should be; anything else was refused and shows as null.
    private func append(_ value: JSONValue?, to json: inout JSONText) {
        switch value {
        case .string(let text): json.string(text.utf8)
        case .integer(let number): json.integer(number)
        default: json.null()
        }
    }
}
