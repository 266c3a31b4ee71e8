import Foundation
import TestSupport
import Testing

@Suite("Identifiers that stand for a mail")
struct IdentifierTests {
    @Test("The same mail has other ones in another installation, so that nobody can test a guess")
    func keyed() throws {
        let mail = Mail()
        let requests = try (0..<2).map { _ in
            let site = try Site()
            try site.addDevice("a1")
            try site.startDrain()
            try site.startDispatch()
            try site.deliver(mail, rc: site.including("trap"))
            return try site.apple.waitForRequests(1)[0]
        }
        #expect(requests[0].body == requests[1].body)
        for name in ["apns-id", "apns-collapse-id"] {
            #expect(requests[0].header(name) != requests[1].header(name))
        }
    }

    @Test("An apns-id from the log finds its wake: who took it, by which notice, for which device")
    func traced() throws {
        let site = try Site()
        try site.addDevice("a1")
        try site.startDrain()
        let dispatch = try site.startDispatch()
        try site.deliver(rc: site.including("trap"))
        let line = try dispatch.waitForLine(containing: ": sent, accepted")
        let id = try #require(line.range(of: "apns-id ").map { line[$0.upperBound...].prefix(36) })
        #expect(try site.apple.waitForRequests(1)[0].header("apns-id") == String(id))
        let trace = try site.doorbell("trace", id.uppercased())
        #expect(trace.ending == .exited(0))
        #expect(
            trace.output.hasPrefix(
                "reached Apple  no, accepted by a stand-in (DOORBELL_APNS_HOST)\napns-id        \(id)\n"))
        #expect(trace.output.contains("\nnotice         1: \(site.recipient.name), INBOX\n"))
        #expect(trace.output.contains("\ndevice         1: live\n"))
    }
}
