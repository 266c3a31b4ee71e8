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
}
