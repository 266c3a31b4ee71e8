import APNs
import Testing

@Suite("Provider token")
struct ProviderTokenMachineTests {
    private let signature = Array(repeating: UInt8(0xFB), count: 64)

    private func machine(kept: ProviderToken? = nil, now: Duration = .zero, wall: Int64 = 1_790_000_000)
        -> ProviderTokenMachine
    {
        ProviderTokenMachine(
            keyID: "ABC123DEFG", teamID: "ZCNAX3VL9D", kept: kept, now: now, wallSeconds: wall)
    }

    /// Signs when it is asked to, and tells the token in use.
    private func token(_ machine: inout ProviderTokenMachine, now: Duration, wall: Int64) -> String? {
        switch machine.token(now: now, wallSeconds: wall) {
        case .use(let text): text
        case .sign(let unsigned): machine.signed(unsigned, with: signature, now: now).text
        }
    }

    @Test("Hazard 50: header and claims are what Apple documents, iat a number")
    func claims() throws {
        var machine = machine()
        guard case .sign(let unsigned) = machine.token(now: .zero, wallSeconds: 1_790_000_000) else {
            Issue.record("nothing to sign")
            return
        }
        // {"alg":"ES256","kid":"ABC123DEFG"} and {"iss":"ZCNAX3VL9D","iat":1790000000}
        #expect(
            String(decoding: unsigned.message, as: UTF8.self)
                == "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ"
                + ".eyJpc3MiOiJaQ05BWDNWTDlEIiwiaWF0IjoxNzkwMDAwMDAwfQ")
    }

    @Test("The signature is appended in the URL alphabet without padding")
    func signed() throws {
        var machine = machine()
        let text = try #require(token(&machine, now: .zero, wall: 1_790_000_000))
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        #expect(parts[2].count == 86)
        #expect(parts[2].hasPrefix("-_v7"))
    }

    @Test("Hazards 45 and 53: one token serves fifty minutes, then the next is signed")
    func lifetime() {
        var machine = machine()
        let first = token(&machine, now: .zero, wall: 1_790_000_000)
        #expect(result(token(&machine, now: .seconds(2999), wall: 1_790_002_999)) == first)
        #expect(result(token(&machine, now: .seconds(3000), wall: 1_790_003_000)) != first)
    }

    @Test("Hazard 47: time spent suspended counts")
    func suspended() {
        var machine = machine()
        let first = token(&machine, now: .zero, wall: 1_790_000_000)
        #expect(token(&machine, now: .seconds(5400), wall: 1_790_005_400) != first)
    }

    @Test(
        "Hazard 47: a wall clock that jumps by more than five minutes mints once the floor allows",
        arguments: [7200, -7200])
    func jumps(seconds: Int64) {
        var machine = machine()
        let first = token(&machine, now: .zero, wall: 1_790_000_000)
        #expect(token(&machine, now: .seconds(1199), wall: 1_790_001_199 + seconds) == first)
        let second = token(&machine, now: .seconds(1200), wall: 1_790_001_200 + seconds)
        #expect(second != first)
        #expect(token(&machine, now: .seconds(1201), wall: 1_790_001_201 + seconds) == second)
    }

    @Test("A wall clock that is put right by a little mints nothing")
    func drifts() {
        var machine = machine()
        let first = token(&machine, now: .zero, wall: 1_790_000_000)
        #expect(token(&machine, now: .seconds(2000), wall: 1_790_002_290) == first)
    }

    @Test("A kept token whose time can't be one is not used", arguments: [Int64.min, Int64.max, -1])
    func damaged(issuedAt: Int64) {
        var machine = machine(kept: ProviderToken(text: "kept", issuedAt: issuedAt))
        #expect(result(machine.token(now: .zero, wallSeconds: 1_790_000_000)) != .use("kept"))
    }

    @Test("A restart uses the kept token until it is fifty minutes old")
    func restart() {
        let kept = ProviderToken(text: "kept", issuedAt: 1_790_000_000)
        var soon = machine(kept: kept, now: .seconds(9), wall: 1_790_000_600)
        #expect(result(soon.token(now: .seconds(9), wallSeconds: 1_790_000_600)) == .use("kept"))
        #expect(result(soon.token(now: .seconds(2408), wallSeconds: 1_790_002_999)) == .use("kept"))
        #expect(result(soon.token(now: .seconds(2409), wallSeconds: 1_790_003_000)) != .use("kept"))
        var late = machine(kept: kept, wall: 1_790_003_000)
        #expect(result(late.token(now: .zero, wallSeconds: 1_790_003_000)) != .use("kept"))
    }

    @Test("A kept token from the future is not used")
    func future() {
        var machine = machine(kept: ProviderToken(text: "kept", issuedAt: 1_790_000_001))
        #expect(result(machine.token(now: .zero, wallSeconds: 1_790_000_000)) != .use("kept"))
    }
}
