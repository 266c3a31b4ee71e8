import APNs
import Testing

@Suite("Provider token")
struct ProviderTokenMachineTests {
    private let signature = Array(repeating: UInt8(0xFB), count: 64)

    private func machine(kept: ProviderToken? = nil, now: Duration = .zero) -> ProviderTokenMachine {
        ProviderTokenMachine(
            keyID: "ABC123DEFG", teamID: "ZCNAX3VL9D", kept: kept, bootID: "this", now: now)
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

    @Test("Hazard 46: a token's age counts from its birth, however often it is asked for, restarts included")
    func birth() throws {
        var first = machine()
        guard case .sign(let unsigned) = first.token(now: .zero, wallSeconds: 1_790_000_000) else {
            Issue.record("nothing to sign")
            return
        }
        let born = first.signed(unsigned, with: signature, now: .zero)
        for minute in Int64(1)...40 {
            let asked = token(&first, now: .seconds(60 * minute), wall: 1_790_000_000 + 60 * minute)
            #expect(asked == born.text)
        }
        var second = machine(kept: born, now: .seconds(2400))
        #expect(result(token(&second, now: .seconds(2999), wall: 1_790_002_999)) == born.text)
        #expect(result(token(&second, now: .seconds(3000), wall: 1_790_003_000)) != born.text)
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
}

@Suite("Provider token kept over a restart")
struct KeptProviderTokenTests {
    private func machine(_ kept: ProviderToken, bootID: String? = "this", now: Duration)
        -> ProviderTokenMachine
    {
        ProviderTokenMachine(
            keyID: "ABC123DEFG", teamID: "ZCNAX3VL9D", kept: kept, bootID: bootID, now: now)
    }

    private func isUsed(_ machine: inout ProviderTokenMachine, now: Int64, wall: Int64) -> Bool {
        machine.token(now: .seconds(now), wallSeconds: wall) == .use("kept")
    }

    private func kept(boot: String? = "this", at: Int64 = 1000) -> ProviderToken {
        ProviderToken(
            text: "kept", issuedAt: 1_790_000_000,
            minting: boot.map { ProviderToken.Minting(bootID: $0, at: .seconds(at)) })
    }

    @Test("Of the same boot it is used until it is fifty minutes old")
    func sameBoot() {
        var machine = machine(kept(), now: .seconds(1600))
        #expect(result(isUsed(&machine, now: 1600, wall: 1_790_000_600)))
        #expect(result(isUsed(&machine, now: 3999, wall: 1_790_002_999)))
        #expect(!result(isUsed(&machine, now: 4000, wall: 1_790_003_000)))
    }

    @Test(
        "Hazards 45 and 48: of the same boot it keeps the floor, whatever the wall clock has become",
        arguments: [Int64(86_400), -86_400])
    func wallClock(jump: Int64) {
        var machine = machine(kept(), now: .seconds(2199))
        #expect(result(isUsed(&machine, now: 2199, wall: 1_790_001_199 + jump)))
        #expect(!result(isUsed(&machine, now: 2200, wall: 1_790_001_200 + jump)))
    }

    @Test(
        "Of another boot, or of an unknown one, it is as old as the wall clock says",
        arguments: ["other", nil])
    func otherBoot(boot: String?) {
        var soon = machine(kept(boot: boot), now: .seconds(9))
        #expect(result(isUsed(&soon, now: 9, wall: 1_790_002_999)))
        #expect(!result(isUsed(&soon, now: 10, wall: 1_790_003_000)))
        var late = machine(kept(boot: boot), now: .seconds(9))
        #expect(!result(isUsed(&late, now: 9, wall: 1_790_090_000)))
    }

    @Test("A machine that doesn't know its boots knows the wall clock")
    func noBoot() {
        var machine = machine(kept(boot: nil), bootID: nil, now: .seconds(9))
        #expect(result(isUsed(&machine, now: 9, wall: 1_790_002_999)))
        #expect(!result(isUsed(&machine, now: 9, wall: 1_790_003_000)))
    }

    @Test("A clock that starts in the past and is put right later ages it at once")
    func clockWithoutBattery() {
        var machine = machine(kept(boot: "other"), now: .seconds(5))
        #expect(result(isUsed(&machine, now: 5, wall: 1_790_000_010)))
        #expect(!result(isUsed(&machine, now: 60, wall: 1_790_259_200)))
    }

    @Test("Hazard 48: one from the future counts as just signed: no new one before the floor")
    func future() {
        var machine = machine(kept(boot: "other"), now: .seconds(5))
        #expect(result(isUsed(&machine, now: 5, wall: 1_789_990_000)))
        #expect(result(isUsed(&machine, now: 1204, wall: 1_789_991_199)))
        #expect(!result(isUsed(&machine, now: 1205, wall: 1_789_991_200)))
    }

    @Test("One that this boot's clock hasn't reached yet counts as just signed too")
    func futureBootTime() {
        var machine = machine(kept(at: 9_000_000_000), now: .seconds(5))
        #expect(result(isUsed(&machine, now: 1204, wall: 1_790_000_000)))
        #expect(!result(isUsed(&machine, now: 1205, wall: 1_790_003_000)))
    }
}

@Suite("Provider token that Apple refuses")
struct RefusedProviderTokenTests {
    private var machine = ProviderTokenMachine(
        keyID: "ABC123DEFG", teamID: "ZCNAX3VL9D", kept: nil, bootID: "this", now: .zero)

    private mutating func token(now: Int64) -> String {
        switch machine.token(now: .seconds(now), wallSeconds: 1_790_000_000 + now) {
        case .use(let text): text
        case .sign(let unsigned):
            machine.signed(unsigned, with: [UInt8](repeating: 7, count: 64), now: .seconds(now)).text
        }
    }

    private mutating func refused(_ text: String, now: Int64) -> Bool {
        machine.refused(text, now: .seconds(now), wallSeconds: 1_790_000_000 + now)
    }

    private func wait(now: Int64) -> Duration {
        machine.waitForNew(now: .seconds(now), wallSeconds: 1_790_000_000 + now)
    }

    @Test("Hazard 47: past the floor the next one is signed at once")
    func pastFloor() {
        var machine = self
        let first = machine.token(now: 0)
        #expect(result(machine.refused(first, now: 1200)))
        #expect(result(machine.token(now: 1200)) != first)
    }

    @Test("Hazards 47 and 48: one that is refused when fresh stays until the floor, and then gives way once")
    func belowFloor() {
        var machine = self
        let first = machine.token(now: 0)
        #expect(!result(machine.refused(first, now: 1)))
        #expect(machine.wait(now: 1) == .seconds(1199))
        #expect(result(machine.token(now: 1199)) == first)
        let second = machine.token(now: 1200)
        #expect(second != first)
        #expect(!result(machine.refused(second, now: 1201)))
        #expect(result(machine.token(now: 2399)) == second)
    }

    @Test("Hazard 34: fifty late answers about an old one don't doom its successor")
    func lateAnswers() {
        var machine = self
        let first = machine.token(now: 0)
        #expect(result(machine.refused(first, now: 1500)))
        let second = machine.token(now: 1500)
        for _ in 0..<50 { #expect(result(machine.refused(first, now: 1501))) }
        #expect(result(machine.token(now: 2999)) == second)
    }

    @Test("Before the first is signed nothing has to be waited for")
    func none() {
        var machine = self
        #expect(machine.wait(now: 0) == .zero)
        #expect(result(machine.refused("another key's", now: 0)))
    }

    @Test("Hazards 44 to 46: however often it is refused, no two are signed within twenty minutes")
    func floor() {
        var machine = self
        var signedAt: [Int64] = []
        var last: String?
        for now in stride(from: Int64(0), to: 86_400, by: 7) {
            let token = machine.token(now: now)
            if token != last { signedAt.append(now) }
            last = token
            _ = machine.refused(token, now: now)
        }
        #expect(zip(signedAt, signedAt.dropFirst()).allSatisfy { $1 - $0 >= 1200 })
        #expect(signedAt.count == 72)
    }
}
