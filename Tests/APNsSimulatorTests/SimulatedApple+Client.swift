import Posix
import TestSupport

@testable import APNsSimulatorCommand

extension SimulatedApple {
    /// A client of it.
    func client() throws -> TestClient { try TestClient(port: UInt16(port), caFile: caFile) }

    /// A good request that names this device token.
    func request(_ deviceToken: String = Provider.deviceToken) throws -> PushRequest {
        try Provider(keyFile: keyFile).request(issuedAt: WallTime.now.seconds, deviceToken: deviceToken)
    }
}
