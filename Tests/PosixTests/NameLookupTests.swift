import Posix
import Testing

struct NameLookupTests {
    private func lookUp(_ host: String) throws -> NameLookup.Result {
        let lookup = try NameLookup(host: host, port: 443)
        var poller = Poller()
        _ = poller.add(lookup.rawValue)
        try poller.wait(timeout: .seconds(60))
        return lookup.result()
    }

    @Test("A name that resolves has addresses")
    func found() throws {
        guard case .found(let addresses) = try lookUp("localhost") else {
            Issue.record("not found")
            return
        }
        #expect(!addresses.isEmpty)
    }

    @Test("An address stands for itself, with the port in network order")
    func literal() throws {
        guard case .found(let addresses) = try lookUp("127.0.0.1") else {
            Issue.record("not found")
            return
        }
        #expect(addresses.map { Array($0.bytes[2..<8]) } == [[1, 187, 127, 0, 0, 1]])
    }

    @Test("A name that doesn't resolve fails with the resolver's words (RFC 6761 section 6.4)")
    func failed() throws {
        guard case .failed(let why) = try lookUp("something.invalid") else {
            Issue.record("found")
            return
        }
        #expect(!why.isEmpty)
    }

    @Test("A look-up that nobody waits for harms nothing")
    func abandoned() throws {
        for _ in 0..<20 { _ = try NameLookup(host: "localhost", port: 443) }
        #expect(try lookUp("localhost") != .pending)
    }
}
