import APNs
import Testing

@testable import DoorbellCommand

@Suite("A token on standard input")
struct TokenInputTests {
    @Test(
        "Digits of any case, with white space around them, are a token",
        arguments: [64, 160, 400].flatMap { count in
            ["aB", "0F"].map { String(repeating: $0, count: count / 2) }
        })
    func accepted(digits: String) throws {
        #expect(try TokenInput.token(Array("\(digits)".utf8)).hexadecimal == digits.lowercased())
        #expect(try TokenInput.token(Array(" \t\(digits)\r\n".utf8)).hexadecimal == digits.lowercased())
    }

    @Test(
        "Anything else is refused with exit code 65, without repeating it",
        arguments: [
            String(repeating: "a", count: 62), String(repeating: "a", count: 65),
            String(repeating: "a", count: 402),
            String(repeating: "g1", count: 32),
            String(repeating: "a1", count: 16) + " " + String(repeating: "a1", count: 16),
            "<" + String(repeating: "a1", count: 32) + ">",
        ])
    func refused(text: String) {
        let failure = #expect(throws: CommandFailure.self) { try TokenInput.token(Array(text.utf8)) }
        #expect(failure?.exitCode == 65)
        #expect(failure?.description.contains("\(text.utf8.count) characters instead of 64 to 400") == true)
        #expect(failure?.description.contains(text) == false)
    }

    @Test("Nothing is refused as nothing", arguments: ["", "\n", "  \t\r\n"])
    func nothing(text: String) {
        let failure = #expect(throws: CommandFailure.self) { try TokenInput.token(Array(text.utf8)) }
        #expect(failure?.description == "no device token on standard input")
    }
}
