import Testing

@testable import DispatchCommand

@Suite("Allowance of wakes")
struct WakeAllowanceTests {
    private func take(
        _ allowance: inout WakeAllowance, _ folder: String = "INBOX", device: Int64 = 1, now: Int
    )
        -> WakeAllowance.Take
    {
        allowance.take(device: device, folder: folder, now: .seconds(now))
    }

    @Test("A mail bomb rings twenty times, and then once in ten seconds")
    func bomb() {
        var allowance = WakeAllowance()
        var sent: [Int] = []
        var held: Set<Duration> = []
        // Ten mails a second for a minute.
        for tenth in 0..<600 {
            switch allowance.take(device: 1, folder: "INBOX", now: .milliseconds(tenth * 100)) {
            case .now: sent.append(tenth)
            case .held(let until): held.insert(until)
            }
        }
        #expect(sent == Array(0..<20))
        #expect(held.sorted() == [10, 20, 30, 40, 50, 60].map { .seconds($0) })
    }

    @Test("While one wake is held, all others share its moment")
    func shared() {
        var allowance = WakeAllowance()
        for _ in 0..<20 { #expect(take(&allowance, now: 0) == .now) }
        for second in 0..<10 { #expect(take(&allowance, now: second) == .held(until: .seconds(10))) }
        #expect(take(&allowance, now: 10) == .held(until: .seconds(20)))
    }

    @Test("Every ten quiet seconds give back one wake, up to twenty")
    func refills() {
        var allowance = WakeAllowance()
        for _ in 0..<20 { _ = take(&allowance, now: 0) }
        for _ in 0..<3 { #expect(take(&allowance, now: 30) == .now) }
        #expect(take(&allowance, now: 30) == .held(until: .seconds(40)))
        for _ in 0..<20 { #expect(take(&allowance, now: 100_000) == .now) }
        #expect(take(&allowance, now: 100_000) == .held(until: .seconds(100_010)))
    }

    @Test("Mail at the pace of one in ten seconds is never held")
    func steady() {
        var allowance = WakeAllowance()
        for _ in 0..<20 { _ = take(&allowance, now: 0) }
        for second in stride(from: 10, to: 10_000, by: 10) { #expect(take(&allowance, now: second) == .now) }
    }

    @Test("Another folder or device has an allowance of its own")
    func separate() {
        var allowance = WakeAllowance()
        for _ in 0..<21 { _ = take(&allowance, now: 0) }
        #expect(take(&allowance, "Lists", now: 0) == .now)
        #expect(take(&allowance, device: 2, now: 0) == .now)
        #expect(take(&allowance, now: 0) == .held(until: .seconds(10)))
    }

    @Test("What is remembered is bounded, and those that are flooded most are remembered longest")
    func bounded() {
        var allowance = WakeAllowance()
        for _ in 0..<21 { _ = take(&allowance, now: 0) }
        for folder in 0..<50_000 {
            #expect(take(&allowance, "\(folder)", device: 2, now: 1) == .now)
            #expect(allowance.keys <= WakeAllowance.maximumKeys)
        }
        #expect(take(&allowance, now: 1) == .held(until: .seconds(10)))
    }
}
