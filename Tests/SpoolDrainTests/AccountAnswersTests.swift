import Posix
import Testing

@testable import SpoolDrainCommand

struct AccountAnswersTests {
    @Test("Each account is asked for once, and one that spells its name in other bytes is another one")
    func once() throws {
        var asked: [String] = []
        var answers = AccountAnswers { user in
            asked.append(user)
            return user == "alice" ? 1000 : nil
        }
        for _ in 0..<3 {
            #expect(try answers.uid(of: "alice") == 1000)
            #expect(try answers.uid(of: "\u{E9}") == nil)
            #expect(try answers.uid(of: "e\u{301}") == nil)
        }
        #expect(asked.count == 3)
    }

    @Test("A failure isn't tried again in the same pass")
    func failure() {
        let error = SystemCallError(call: "getpwnam_r", subject: "an account", errno: .inputOutput)
        var asked = 0
        var answers = AccountAnswers { _ throws(SystemCallError) in
            asked += 1
            throw error
        }
        for _ in 0..<3 { #expect(throws: error) { try answers.uid(of: "alice") } }
        #expect(asked == 1)
    }
}
