import APNs
import Testing

@Suite("Payload of a wake")
struct NotificationPayloadTests {
    private func text(_ pushType: PushType, _ message: MessageReference) -> String {
        String(decoding: NotificationPayload(pushType: pushType, message: message).bytes, as: UTF8.self)
    }

    @Test("A phone's payload is the documented one, byte for byte")
    func phone() {
        #expect(
            text(.alert, MessageReference(folder: "INBOX", uid: 4271))
                == #"{"aps":{"alert":"New mail","mutable-content":1,"category":"MAIL_MESSAGE","sound":"default"},"#
                + #""msgRef":{"folder":"INBOX","uid":4271}}"#)
    }

    @Test("A Mac's payload wakes the app and shows nothing")
    func mac() {
        #expect(
            text(.background, MessageReference(folder: "INBOX", uid: 4271))
                == #"{"aps":{"content-available":1},"msgRef":{"folder":"INBOX","uid":4271}}"#)
    }

    @Test("UIDVALIDITY and the account's reference are added only where they are known")
    func optionalMembers() {
        let message = MessageReference(folder: "Lists/A", uid: 0, uidValidity: 1_700_000_000, account: "a1")
        #expect(
            text(.background, message)
                == #"{"aps":{"content-available":1},"#
                + #""msgRef":{"folder":"Lists/A","uid":0,"uidValidity":1700000000,"account":"a1"}}"#)
    }

    @Test("A folder's quotes and backslashes stay text, its umlauts stay UTF-8")
    func escapes() {
        #expect(
            text(.background, MessageReference(folder: #"a"b\cü"#, uid: 1))
                .contains(#""folder":"a\"b\\cü""#))
    }
}
