import Foundation
import Posix
import Queue
import TestSupport
import Testing
import TokenSealing

@Suite("The key of the device tokens")
struct TokenKeyFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var path: String { directory.file("doorbell.key") }

    private func load(making: Bool = false) throws(TokenKeyFile.Failure) -> TokenSeal {
        try TokenKeyFile(path: path).load(making: making)
    }

    private func failure(making: Bool = false) -> TokenKeyFile.Failure? {
        #expect(throws: TokenKeyFile.Failure.self) { try load(making: making) }
    }

    private func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test("A new one is a line of 64 digits that only the owner of its directory reads, and each is another")
    func made() throws {
        _ = try load(making: true)
        let text = try text()
        #expect(text.wholeMatch(of: /[0-9a-f]{64}\n/) != nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["doorbell.key"])
        _ = try load(making: true)
        #expect(try self.text() == text)
        try FileManager.default.removeItem(atPath: path)
        _ = try load(making: true)
        #expect(try self.text() != text)
    }

    @Test("A missing one isn't made where tokens are sealed: the line says what to do")
    func missing() {
        let failure = failure()
        #expect(failure?.exitCode == .configuration)
        #expect(
            failure?.description
                == "\(path): is missing, and device tokens are sealed with it; put that key back, or run doorbell "
                + "device remove --all and have all devices register again")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(
        "One that others may read is refused with the command that mends it",
        arguments: [0o640, 0o604, 0o620])
    func exposed(mode: Int) throws {
        _ = try load(making: true)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let failure = failure(making: true)
        #expect(failure?.exitCode == .configuration)
        #expect(failure?.description.contains("chmod 0600 \(path)") == true)
    }

    @Test(
        "One that doesn't belong to the directory's owner is refused, who is named if there is a name",
        Requires.root, arguments: [(0, "root"), (54_321, "54321")] as [(UInt32, String)])
    func foreign(owner: UInt32, name: String) throws {
        _ = try load(making: true)
        chown(directory.path, owner, owner)
        chown(path, 65_534, 65_534)
        #expect(failure()?.exitCode == .configuration)
        #expect(
            failure()?.description.hasSuffix("belongs to uid 65534; as root: chown \(name) \(path)") == true)
    }

    @Test("In another user's directory none is made, which would be of no use to the service", Requires.root)
    func foreignDirectory() throws {
        chown(directory.path, 65_534, 65_534)
        #expect(failure(making: true)?.exitCode == .configuration)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test(
        "What isn't one line of 64 digits is refused, and what there is isn't repeated",
        arguments: [
            "", "\n", String(repeating: "a", count: 63), String(repeating: "a", count: 66),
            String(repeating: "g", count: 64), String(repeating: "a", count: 64) + "\n\n",
            String(repeating: "a", count: 32) + "\n" + String(repeating: "a", count: 32),
        ])
    func nonsense(text: String) throws {
        try directory.write("doorbell.key", text, mode: 0o600)
        let failure = failure(making: true)
        #expect(failure?.exitCode == .configuration)
        #expect(failure?.description.contains("holds no key") == true)
        #expect(failure?.description.contains("aaaa") == false)
        #expect(try self.text() == text)
    }

    @Test("Capitals and a missing line feed are no fault")
    func leniency() throws {
        try directory.write("doorbell.key", String(repeating: "AB", count: 32), mode: 0o600)
        #expect(throws: Never.self) { try load() }
    }

    @Test("No link is followed, and nothing waited for")
    func places() throws {
        _ = try load(making: true)
        try FileManager.default.moveItem(atPath: path, toPath: directory.file("elsewhere"))
        symlink("elsewhere", path)
        #expect(failure()?.description.contains("is a symbolic link") == true)
        unlink(path)
        mkfifo(path, 0o600)
        #expect(failure()?.description.contains("is not a regular file") == true)
    }
}
