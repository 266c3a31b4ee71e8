import Foundation
import TestSupport
import Testing

@Suite("The search for private words")
struct PrivateWordsTests {
    private static let record =
        #"{"event":"request","headers":[[":method","POST"],["apns-collapse-id","INBOX:4271"]],"body":"{\"aps\":"#
        + #"{\"alert\":\"New mail\",\"mutable-content\":1},\"msgRef\":{\"folder\":\"INBOX\",\"uid\":4271}}"}"#

    @Test(
        "It finds a subject, a Message-ID or a sender that was put into a request",
        arguments: [\Mail.subject, \Mail.messageID, \Mail.sender])
    func found(secret: any KeyPath<Mail, String> & Sendable) {
        let mail = Mail()
        let words = PrivateWords(in: mail.contents)
        #expect(words.told(by: Self.record) == [])
        for place in ["New mail", "INBOX:4271"] {
            let spoiled = Self.record.replacingOccurrences(
                of: place, with: mail[keyPath: secret].uppercased())
            #expect(words.told(by: spoiled).count == 2)
        }
    }
}
