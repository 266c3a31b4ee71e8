import TestSupport
import Testing

@testable import DispatchCommand

@Suite("A file with a password")
struct SecretFileTests {
    private func read(_ text: String, mode: Int = 0o400) throws -> String {
        let directory = try TemporaryDirectory()
        return String(
            decoding: try SecretFile.password(try directory.write("secret", text, mode: mode)), as: UTF8.self)
    }

    @Test("It holds one line, with or without its end")
    func line() throws {
        for text in ["sword fish", "sword fish\n", "sword fish\r\n", "sword fish\n\n"] {
            #expect(try read(text) == "sword fish")
        }
    }

    @Test(
        "None, two and one with a NUL are refused without being quoted",
        arguments: ["", "\n", "a\nb", "a\0b"])
    func notOne(text: String) throws {
        let failure = try #require(throws: SecretFile.Failure.self) { try read(text) }
        #expect(failure.fault == "must hold one line and nothing else")
    }

    @Test("One that others can read is refused", arguments: [0o440, 0o604])
    func exposed(mode: Int) throws {
        let failure = try #require(throws: SecretFile.Failure.self) { try read("swordfish", mode: mode) }
        #expect(failure.fault.contains("can be read by others than its owner; run: chmod 0400 "))
    }
}
