import HTTP2
import JSON

extension ScriptedApple {
    /// One push, complete or still on its way.
    final class Request {
        unowned let connection: Connection
        let stream: Int32
        let headers: [HeaderField]
        var body: [UInt8] = []
        /// Counted over all connections, from 1.
        var number = 0
        /// How many streams were open on the connection when it came, itself included.
        let openStreams: Int

        init(_ connection: Connection, stream: Int32, headers: [HeaderField], openStreams: Int) {
            self.connection = connection
            self.stream = stream
            self.headers = headers
            self.openStreams = openStreams
        }

        /// The device token in hexadecimal.
        var deviceToken: String { String(headers[":path"]?.split(separator: "/").last ?? "") }

        /// What stands behind `bearer`.
        var providerToken: String { String(headers["authorization"]?.split(separator: " ").last ?? "") }

        /// Answers; after its first 200 a connection may open more streams, as with Apple.
        func answer(
            _ status: Int = 200, reason: String? = nil, timestamp: Int64? = nil,
            headers: [HeaderField] = []
        ) {
            var body = JSONText()
            body.beginObject()
            if let reason {
                body.key("reason")
                body.string(reason.utf8)
            }
            if let timestamp {
                body.key("timestamp")
                body.integer(timestamp)
            }
            body.endObject()
            answer(status, body: reason == nil && timestamp == nil ? [] : body.bytes, headers: headers)
        }

        /// Answers with any body.
        func answer(_ status: Int, body: [UInt8], headers: [HeaderField] = []) {
            try? connection.http2?.submitResponse(
                stream, [HeaderField(":status", "\(status)")] + headers, body: body)
            if status == 200 { connection.hasAccepted() }
        }

        /// Resets the stream.
        func reset(_ code: ErrorCode) { try? connection.http2?.reset(stream, code: code) }

        /// Resets the stream as one that wasn't processed.
        func refuse() { reset(.refusedStream) }
    }
}
