import Foundation
import TestSupport
import Testing

@Suite("A mail rings over three users: its recipient, the drain's and dispatch's", Requires.root)
struct VillageTests {
    private let site: Site
    private let dispatch: RunningProgram

    init() throws {
        site = try Site(inVillage: true, answers: ["a4 = 410 Unregistered", "a5 = 503, 200"])
        try site.startDrain()
        dispatch = try site.startDispatch()
    }

    @Test("A `:0 hci` delivery, by the shipped carbon copy, rings the phone for the known uid")
    func headerCopy() throws {
        try site.addDevice("a1")
        try site.deliver(rc: "DOORBELL_UID=4271\n" + site.including("copy"))
        let request = try site.apple.waitForRequests(1)[0]
        #expect(request.header("apns-collapse-id") == "INBOX:4271")
        #expect(
            request.body
                == #"{"aps":{"alert":"New mail","mutable-content":1,"category":"MAIL_MESSAGE","sound":"default"},"#
                + #""msgRef":{"folder":"INBOX","uid":4271}}"#)
        try dispatch.waitForLine(containing: ": sent, accepted")
        #expect(try site.ended("sent", "accepted by a stand-in") == 1)
    }

    @Test("A `:0c` delivery rings the phone")
    func plainCopy() throws {
        try site.addDevice("a1")
        try site.deliver(rc: site.plainCopy)
        #expect(try site.apple.waitForRequests(1)[0].body.hasSuffix(#"{"folder":"INBOX","uid":0}}"#))
    }

    @Test("A TRAP delivery into a subfolder with a blank in its name rings for that folder")
    func subfolder() throws {
        try site.addDevice("a1")
        try site.deliver(rc: site.including("trap") + ":0\n\"Maildir/.Lists.Swift Users/\"\n")
        let request = try site.apple.waitForRequests(1)[0]
        #expect(request.body.hasSuffix(#"{"folder":"Lists.Swift Users","uid":0}}"#))
    }

    @Test("Two devices of one user get two pushes, and a device without the folder gets none")
    func devices() throws {
        try site.addDevice("a1")
        try site.addDevice("a2", folders: "INBOX,Lists")
        try site.addDevice("a3", folders: "INBOX")
        try site.deliver(rc: site.including("trap") + ":0\nMaildir/.Lists/\n")
        try site.apple.waitForRequests(2)
        dispatch.send(SIGTERM)
        try dispatch.waitForEnd()
        #expect(try site.apple.waitForRequests(2).map { $0.deviceToken.prefix(2) }.sorted() == ["a1", "a2"])
        #expect(try site.ended("sent", "accepted by a stand-in") == 2)
    }

    @Test("A 410 removes the device")
    func unregistered() throws {
        try site.addDevice("a4")
        try site.deliver(rc: site.including("trap"))
        try dispatch.waitForLine(containing: ": failed, Unregistered")
        #expect(try site.doorbell("device", "list").output.contains("removed"))
        #expect(try site.ended("failed", "Unregistered") == 1)
    }

    @Test("A 503 is tried again with the same apns-id, collapse id, payload and expiration")
    func retried() throws {
        try site.addDevice("a5")
        try site.deliver(rc: site.including("trap"))
        let requests = try site.apple.waitForRequests(2, within: 60)
        for name in ["apns-id", "apns-collapse-id", "apns-expiration"] {
            let values = requests.map { $0.header(name) }
            #expect(values[0] != nil && values[0] == values[1], "\(name): \(values)")
        }
        #expect(requests[0].body == requests[1].body)
        try dispatch.waitForLine(containing: ": sent, accepted")
    }
}
