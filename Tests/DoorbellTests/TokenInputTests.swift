import APNs
import Posix
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
        "Too few digits, too many, or half a byte are refused with exit code 65, without repeating it",
        arguments: [
            String(repeating: "a", count: 62), String(repeating: "a", count: 65),
            String(repeating: "a", count: 402),
        ])
    func refused(text: String) {
        let failure = #expect(throws: CommandFailure.self) { try TokenInput.token(Array(text.utf8)) }
        #expect(failure?.exitCode == .dataError)
        #expect(failure?.description.contains("\(text.utf8.count) characters instead of 64 to 400") == true)
        #expect(failure?.description.contains(text) == false)
    }

    @Test(
        "Characters that aren't hexadecimal digits are named as the fault, whatever the length",
        arguments: [
            (String(repeating: "g1", count: 32), 32),
            (String(repeating: "a1", count: 16) + " " + String(repeating: "a1", count: 16), 1),
            ("<" + String(repeating: "a1", count: 32) + ">", 2),
            (String(repeating: "a1", count: 31) + "\u{e9}\u{ff11}", 2),
        ])
    func strange(text: String, count: Int) {
        let failure = #expect(throws: CommandFailure.self) { try TokenInput.token(Array(text.utf8)) }
        #expect(failure?.exitCode == .dataError)
        #expect(
            failure?.description
                == "standard input holds no device token: of its characters \(count) "
                + (count == 1 ? "isn't a hexadecimal digit" : "aren't hexadecimal digits")
                + "; leave out blanks and brackets")
    }

    @Test("Nothing is refused as nothing", arguments: ["", "\n", "  \t\r\n"])
    func nothing(text: String) {
        let failure = #expect(throws: CommandFailure.self) { try TokenInput.token(Array(text.utf8)) }
        #expect(failure?.description == "no device token on standard input")
    }
}
