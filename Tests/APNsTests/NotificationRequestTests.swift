import APNs
import Testing

@Suite("Request to APNs")
struct NotificationRequestTests {
    private func request(collapseID: String?, expiration: Int64 = 1_790_000_000) throws -> NotificationRequest
    {
        let token = try #require(DeviceToken(bytes: Array(0..<32)))
        let message = MessageReference(folder: "INBOX", uid: 1)
        return NotificationRequest(
            token: token, topic: "com.example.Mail", pushType: .alert,
            id: "5b0e1d6a-934c-4f27-a851-0cd73e62f419", expiration: expiration, collapseID: collapseID,
            payload: NotificationPayload(pushType: .alert, message: message))
    }

    @Test("Pseudo header fields come first, then what Apple asks for, each once")
    func headers() throws {
        let headers = try request(collapseID: "INBOX:1")
            .headers(authority: "api.push.apple.com", providerToken: "t")
        #expect(
            headers.map { "\($0.name) \($0.value)" } == [
                ":method POST", ":scheme https", ":authority api.push.apple.com",
                ":path /3/device/000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                "authorization bearer t", "apns-topic com.example.Mail", "apns-push-type alert",
                "apns-priority 10", "apns-id 5b0e1d6a-934c-4f27-a851-0cd73e62f419",
                "apns-expiration 1790000000", "apns-collapse-id INBOX:1",
            ])
    }

    @Test("Without a collapse id the field is absent, not empty")
    func noCollapseID() throws {
        let headers = try request(collapseID: nil).headers(authority: "h", providerToken: "t")
        #expect(!headers.contains { $0.name == "apns-collapse-id" })
    }

    @Test(
        "Hazard 71: the expiration is in whole seconds, and zero is sent as zero",
        arguments: [(0, "0"), (1_790_003_600, "1790003600")] as [(Int64, String)])
    func expiration(seconds: Int64, value: String) throws {
        let headers = try request(collapseID: nil, expiration: seconds)
            .headers(authority: "h", providerToken: "t")
        #expect(headers.filter { $0.name == "apns-expiration" }.map(\.value) == [value])
    }

    @Test("Values of one request only are kept out of the compression table")
    func indexing() throws {
        let headers = try request(collapseID: "c").headers(authority: "h", providerToken: "t")
        #expect(
            headers.filter { !$0.recurs }.map(\.name) == [
                ":path", "apns-id", "apns-expiration", "apns-collapse-id",
            ])
    }

    @Test("A background push has priority 5, an alert 10")
    func priorities() {
        #expect(PushType.background.priority == 5)
        #expect(PushType.alert.priority == 10)
    }
}

@Suite("Device token")
struct DeviceTokenTests {
    @Test(
        "Only hexadecimal of 32 to 200 bytes is a token",
        arguments: [
            (String(repeating: "aB", count: 32), true), (String(repeating: "ab", count: 200), true),
            (String(repeating: "ab", count: 31), false), (String(repeating: "ab", count: 201), false),
            (String(repeating: "ab", count: 32) + "c", false), (String(repeating: "zz", count: 32), false),
            (" " + String(repeating: "ab", count: 32), false), ("", false),
        ])
    func accepted(text: String, isToken: Bool) { #expect((DeviceToken(hexadecimal: text) != nil) == isToken) }

    @Test("A token is written in lower case, and abbreviated to eight digits for people")
    func written() throws {
        let token = try #require(DeviceToken(hexadecimal: String(repeating: "AB", count: 32)))
        #expect(token.hexadecimal == String(repeating: "ab", count: 32))
    }
}

@Suite("Notification id")
struct NotificationIDTests {
    private func id(owner: UInt32 = 1000, name: String = "n", topic: String = "t", first: UInt8 = 0)
        -> String
    {
        return NotificationID.text(
            ownerUID: owner, spoolName: Array(name.utf8), topic: topic, token: [first] + Array(1..<32)
        ) { fakeHash($0, bytes: 20) }
    }

    @Test("It is a canonical UUID of version 5")
    func canonical() throws {
        let text = id()
        let expected = /[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        #expect(text.wholeMatch(of: expected) != nil)
    }

    @Test("The same wake has the same id, every other one another")
    func identity() throws {
        #expect(id() == id())
        let others = [id(owner: 1001), id(name: "m"), id(topic: "u"), id(first: 9)]
        #expect(Set(others + [id()]).count == 5)
    }
}
