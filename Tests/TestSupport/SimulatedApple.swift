import Foundation
public import JSON

/// A running `apns-simulator`, and what it was asked.
public final class SimulatedApple: Sendable {
    /// The program itself.
    public let program: RunningProgram
    /// Where it listens, on 127.0.0.1.
    public let port: Int64
    /// Its certificate authority, a PEM file.
    public let caFile: String
    /// The provider's signing key it accepts.
    public let keyFile: String
    /// The key's id.
    public let keyID: String
    /// The team's id.
    public let teamID: String

    /// One request as Apple would have seen it.
    public struct Request: Sendable {
        /// The whole record.
        public let record: JSONValue

        /// A header field's value, pseudo fields included.
        public func header(_ name: String) -> String? {
            record["headers"]?.array?.first { $0.array?.first?.string == name }?.array?.last?.string
        }

        /// The body as text.
        public var body: String { record["body"]?.string ?? "" }
        /// What was answered.
        public var status: Int64 { record["status"]?.integer ?? 0 }
        /// Streams open on the connection at that moment.
        public var openStreams: Int64 { record["streams_open"]?.integer ?? 0 }
        /// Which connection, counted from 1.
        public var connection: Int64 { record["connection"]?.integer ?? 0 }
        /// The device token in hexadecimal.
        public var deviceToken: String { header(":path")?.split(separator: "/").last.map(String.init) ?? "" }
    }

    /// Starts it on any free port and waits until it listens.
    ///
    /// - Parameters:
    ///   - directory: where its files go; reused, so that a second one takes the first one's place.
    ///   - arguments: `--answer` and others.
    public init(in directory: TemporaryDirectory, port: Int64 = 0, _ arguments: [String] = []) throws {
        program = try RunningProgram(
            try BuiltProgram.path("apns-simulator"),
            ["--port", String(port), "--directory", directory.file("apple")] + arguments)
        let first = try program.waitForLine(containing: #""event":"listening""#)
        let listening = try JSONParser.parse(Array(first.utf8))
        self.port = listening["port"]?.integer ?? 0
        caFile = listening["ca_file"]?.string ?? ""
        keyFile = listening["key_file"]?.string ?? ""
        keyID = listening["key_id"]?.string ?? ""
        teamID = listening["team_id"]?.string ?? ""
    }

    /// All requests so far.
    public var requests: [Request] { Self.requests(in: program.output) }

    /// The requests that its output tells of beyond so many bytes, which then count as seen.
    public func requests(beyond seen: inout Int) -> [Request] {
        Self.requests(in: program.output(beyond: &seen))
    }

    /// Waits until at least this many requests have come, and gives all.
    @discardableResult
    public func waitForRequests(_ count: Int, within seconds: Double = 30) throws -> [Request] {
        try program.waitForOutput("\(count) requests", within: seconds) { output in
            let requests = Self.requests(in: output)
            return requests.count >= count ? requests : nil
        }
    }

    /// Waits until this many requests have come and all connections are over, and gives all: no more are on the way.
    public func waitForLastRequests(_ count: Int, within seconds: Double = 30) throws -> [Request] {
        try program.waitForOutput("\(count) requests, and no open connection", within: seconds) { output in
            let requests = Self.requests(in: output)
            let (begun, over) = (#""event":"connected""#, #""event":"closed""#)
            let lines = output.split(separator: "\n")
            let open = lines.count { $0.contains(begun) } - lines.count { $0.contains(over) }
            return requests.count >= count && open == 0 ? requests : nil
        }
    }

    private static func requests(in output: String) -> [Request] {
        output.split(separator: "\n").compactMap { line in
            guard line.contains(#""event":"request""#),
                let record = try? JSONParser.parse(Array(line.utf8))
            else { return nil }
            return Request(record: record)
        }
    }
}
