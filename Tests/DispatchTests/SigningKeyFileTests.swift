import TLS
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("Signing key file")
struct SigningKeyFileTests {
    private func key() throws -> String { String(decoding: try SigningKey.generate().pem, as: UTF8.self) }

    @Test("A key that only its owner can read is taken", arguments: [0o400, 0o600])
    func accepted(mode: Int) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("key.p8", try key(), mode: mode)
        _ = try SigningKeyFile.load(path)
    }

    @Test(
        "A key that group or world can read is refused with the command that mends it",
        arguments: [0o440, 0o604])
    func exposed(mode: Int) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("key.p8", try key(), mode: mode)
        let failure = try #require(throws: SecretFile.Failure.self) { try SigningKeyFile.load(path) }
        #expect(failure.fault.contains("chmod 0400 \(path)"))
    }

    @Test("A file that is no key is refused without being quoted")
    func garbage() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("key.p8", "swordfish", mode: 0o400)
        let failure = try #require(throws: SecretFile.Failure.self) { try SigningKeyFile.load(path) }
        #expect(!failure.fault.contains("swordfish"))
        #expect(failure.fault.contains("P-256"))
    }

    @Test("A missing key and a directory are refused by name")
    func missing() throws {
        let directory = try TemporaryDirectory()
        for path in [directory.file("none.p8"), directory.path] {
            let failure = try #require(throws: SecretFile.Failure.self) { try SigningKeyFile.load(path) }
            #expect(!failure.fault.isEmpty)
        }
    }
}
