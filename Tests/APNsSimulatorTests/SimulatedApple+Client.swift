import Posix
import TestSupport

@testable import APNsSimulatorCommand

extension SimulatedApple {
    /// Starts it with these lines for a script.
    convenience init(in directory: TemporaryDirectory, script lines: [String]) throws {
        let script = try directory.write("script", lines.joined(separator: "\n"))
        try self.init(in: directory, ["--script", script])
    }

    /// A client of it.
    func client() throws -> TestClient { try TestClient(port: UInt16(port), caFile: caFile) }

    /// The status of its answer to a good request of this client's.
    func status(for client: TestClient) throws -> String {
        try client.waitForStatus(client.submit(request()))
    }

    /// A good request that names this device token.
    func request(_ deviceToken: String = Provider.deviceToken) throws -> PushRequest {
        try Provider(keyFile: keyFile).request(issuedAt: WallTime.now.seconds, deviceToken: deviceToken)
    }
}
