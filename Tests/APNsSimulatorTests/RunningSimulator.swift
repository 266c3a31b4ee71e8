import HTTP2
import JSON
import Posix
import TLS
import TestSupport

@testable import APNsSimulatorCommand

/// The built program, listening on a port of its own.
struct RunningSimulator {
    let program: RunningProgram
    let directory: TemporaryDirectory
    let port: UInt16
    let caFile: String
    let keyFile: String

    /// Starts it with files in `directory`, or in a new one.
    init(_ arguments: [String] = [], directory: TemporaryDirectory? = nil) throws {
        self.directory = try directory ?? TemporaryDirectory()
        program = try RunningProgram(
            BuiltProgram.path("apns-simulator"),
            ["--port", "0", "--directory", self.directory.file("simulator")] + arguments)
        let line = try program.waitForLine(containing: "listening")
        let greeting = try JSONParser.parse(Array(line.utf8))
        guard let port = greeting["port"]?.integer.flatMap(UInt16.init),
            let caFile = greeting["ca_file"]?.string,
            let keyFile = greeting["key_file"]?.string, greeting["key_id"] == .string("SIMULATOR1"),
            greeting["team_id"] == .string("SIMULATEAM")
        else { throw Incomplete(line: line) }
        self.port = port
        self.caFile = caFile
        self.keyFile = keyFile
    }

    struct Incomplete: Error {
        let line: String
    }

    /// A client of it.
    func client() throws -> TestClient { try TestClient(port: port, caFile: caFile) }

    /// A good request that names this device token.
    func request(_ deviceToken: String = Provider.deviceToken) throws -> PushRequest {
        try Provider(keyFile: keyFile).request(issuedAt: WallTime.now.seconds, deviceToken: deviceToken)
    }

    /// The records written so far for which `matches` holds.
    func records(where matches: (JSONValue) -> Bool = { _ in true }) throws -> [JSONValue] {
        try program.output.split(separator: "\n").dropFirst().map { try JSONParser.parse(Array($0.utf8)) }
            .filter(matches)
    }
}
