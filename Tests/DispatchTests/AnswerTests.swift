import Foundation
import Posix
import Queue
import TestSupport
import Testing

@Suite("dispatch acts on Apple's answers")
struct AnswerTests {
    @Test("Each device that wants the folder gets one push, the others none")
    func fanOut() throws {
        let installation = try Installation()
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        try queue.register(0xA2, folders: ["*"])
        try queue.register(0xA3, folders: ["Lists"])
        try queue.insert()
        #expect(try installation.run("dispatch", ["--once"]).ending == .exited(0))
        let requests = try installation.apple.waitForRequests(2)
        #expect(requests.map { $0.deviceToken.prefix(2) }.sorted() == ["a1", "a2"])
        #expect(try queue.ended(.sent) == 2)
    }

    @Test("The request is the documented one, with a verified provider token")
    func request() throws {
        let installation = try Installation()
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        try queue.insert(first: 4271)
        _ = try installation.run("dispatch", ["--once"])
        let request = try #require(try installation.apple.waitForRequests(1).first)
        #expect(request.header(":method") == "POST")
        #expect(request.header(":path") == "/3/device/" + String(repeating: "a1", count: 32))
        #expect(request.header("apns-topic") == "com.example.Mail")
        #expect(request.header("apns-push-type") == "alert")
        #expect(request.header("apns-priority") == "10")
        #expect(request.header("apns-collapse-id") == "INBOX:4271")
        #expect(request.header("authorization") == "bearer (verified)")
        #expect(
            request.body
                == #"{"aps":{"alert":"New mail","mutable-content":1,"category":"MAIL_MESSAGE","sound":"default"},"#
                + #""msgRef":{"folder":"INBOX","uid":4271}}"#)
    }

    @Test("A Mac's push is a background one of priority 5, which Apple's rules allow")
    func mac() throws {
        let installation = try Installation()
        let queue = try TestQueue(installation)
        try queue.register(0xA1, platform: "macos")
        try queue.insert()
        _ = try installation.run("dispatch", ["--once"])
        let request = try #require(try installation.apple.waitForRequests(1).first)
        #expect(request.header("apns-push-type") == "background")
        #expect(request.header("apns-priority") == "5")
        #expect(request.status == 200)
    }

    @Test("Hazard 56: a 503 is tried again with the same apns-id, collapse id, expiration and payload")
    func retried() throws {
        let (installation, queue) = try oneWake(simulator: ["--answer", "* = 503, 500, 200"])
        let dispatch = try installation.start("dispatch")
        let requests = try installation.apple.waitForRequests(3, within: 60)
        for name in ["apns-id", "apns-collapse-id", "apns-expiration", ":path"] {
            #expect(Set(requests.map { $0.header(name) }).count == 1, "\(name) changed")
        }
        #expect(Set(requests.map(\.body)).count == 1)
        try dispatch.waitForLine(containing: ": sent, accepted")
        dispatch.send(SIGTERM)
        #expect(try dispatch.waitForEnd() == .exited(0))
        #expect(try queue.ended(.sent) == 1)
    }

    @Test("A 410 removes the device, and what waits for it is dropped")
    func gone() throws {
        let installation = try Installation(simulator: ["--answer", "a1 = 410 Unregistered delay=300"])
        let queue = try TestQueue(installation)
        let device = try queue.register(0xA1)
        try queue.insert(3)
        _ = try installation.run("dispatch", ["--once"])
        #expect(try queue.device(device)?.removedReason == "Unregistered")
        #expect(try queue.ended(.failed, "Unregistered") + queue.ended(.dropped, "device_gone") == 3)
        #expect(try installation.apple.waitForRequests(1).count == 1)
    }

    @Test("A device that registered after the 410's timestamp stays")
    func registeredAnew() throws {
        let installation = try Installation(
            simulator: ["--answer", "* = 410 Unregistered timestamp=now-1h, 200"])
        let queue = try TestQueue(installation)
        let device = try queue.register(0xA1)
        try queue.insert()
        let dispatch = try installation.start("dispatch")
        try dispatch.waitForLine(containing: ": sent, accepted")
        #expect(try queue.device(device)?.removedAt == nil)
    }

    @Test("BadDeviceToken fails the delivery and keeps the device, suspect and without further wakes")
    func suspect() throws {
        let installation = try Installation(simulator: ["--answer", "* = 400 BadDeviceToken"])
        let queue = try TestQueue(installation)
        let device = try queue.register(0xA1)
        try queue.insert()
        _ = try installation.run("dispatch", ["--once"])
        #expect(try queue.ended(.failed, "BadDeviceToken") == 1)
        #expect(try queue.device(device)?.suspectSince != nil)
        try queue.insert(first: 2)
        _ = try installation.run("dispatch", ["--once"])
        #expect(try queue.ended(.dropped, "device_suspect") == 1)
        #expect(try installation.apple.waitForRequests(1).count == 1)
    }

    @Test(
        "A 403 to many open requests leaves every row queued and uncharged, and pauses sending with one line")
    func forbidden() throws {
        let installation = try Installation(
            simulator: ["--answer", "* = 200, 403 InvalidProviderToken delay=300"])
        let queue = try TestQueue(installation)
        try queue.register(0xA1, folders: ["*"])
        try queue.insert(21)
        let dispatch = try installation.start("dispatch")
        try dispatch.waitForLine(containing: "paused, 403 InvalidProviderToken")
        dispatch.send(SIGTERM)
        #expect(try dispatch.waitForEnd() == .exited(0))
        #expect(dispatch.errors.split(separator: "\n").filter { $0.contains("paused") }.count == 1)
        #expect(installation.apple.requests.map(\.openStreams).max() ?? 0 > 1)
        let due = try queue.due()
        #expect(due.count == 20)
        #expect(due.allSatisfy { $0.attempts == 0 })
    }

    @Test("Hazard 59: a device that is told to wait delays nobody else")
    func tooManyRequests() throws {
        let installation = try Installation(
            simulator: ["--answer", "a1 = 429 TooManyRequests retry-after=600"])
        let queue = try TestQueue(installation)
        try queue.register(0xA1, folders: ["*"])
        try queue.register(0xA2, folders: ["*"])
        try queue.insert(30)
        _ = try installation.run("dispatch", ["--once"])
        #expect(try queue.ended(.sent) == 30)
        let next = try #require(try queue.store.nextDue(after: .now))
        #expect(next.since(.now) > .seconds(500))
    }

    @Test("Hazard 58: one bad token among a hundred devices fails alone")
    func oneBad() throws {
        let installation = try Installation(simulator: ["--answer", "07 = 400 BadDeviceToken"])
        let queue = try TestQueue(installation)
        for byte in UInt8(0)..<100 { try queue.register(byte) }
        try queue.insert()
        _ = try installation.run("dispatch", ["--once"])
        #expect(try queue.ended(.sent) == 99)
        #expect(try queue.ended(.failed) == 1)
    }

    @Test(
        "Other refusals fail the delivery with Apple's reason",
        arguments: ["413 PayloadTooLarge", "400 Novel2027"])
    func refused(answer: String) throws {
        let (installation, queue) = try oneWake(simulator: ["--answer", "* = \(answer)"])
        _ = try installation.run("dispatch", ["--once"])
        #expect(try queue.ended(.failed, String(answer.dropFirst(4))) == 1)
    }
}
