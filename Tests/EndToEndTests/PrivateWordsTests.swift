import Foundation
import TestSupport
import Testing

@Suite("The search for private words")
struct PrivateWordsTests {
    private static let payload =
        #"{"aps":{"alert":"New mail","mutable-content":1},"msgRef":{"folder":"INBOX","uid":4271}}"#

    @Test("It finds a subject, a Message-ID or a sender that was put into a payload", arguments: [0, 1, 2])
    func found(index: Int) {
        let mail = Mail()
        let words = PrivateWords(in: mail.contents)
        #expect(words.told(by: Self.payload) == [])
        let secret = [mail.subject, mail.messageID, mail.sender][index]
        let spoiled = Self.payload.replacingOccurrences(of: "New mail", with: secret.uppercased())
        #expect(words.told(by: spoiled).count == 2)
    }
}
