import Testing

@testable import SpoolDrainCommand

struct ToldTroublesTests {
    private var told = ToldTroubles()

    @Test("Two troubles, in one scan or in turn, are told once each")
    mutating func turns() {
        #expect(told.isNews("busy") == true)
        #expect(told.isNews("full") == true)
        #expect(told.isNews("busy") == false)
        for _ in 0..<3 {
            told.scanEnded()
            #expect(told.isNews("busy") == false)
            told.scanEnded()
            #expect(told.isNews("full") == false)
        }
    }

    @Test("After a scan without trouble the same one is news again")
    mutating func clear() {
        #expect(told.isNews("busy") == true)
        told.scanEnded()
        told.scanEnded()
        #expect(told.isNews("busy") == true)
    }

    @Test("However many there are, the log gets a bounded number of lines")
    mutating func bound() {
        let lines = (0..<1000).count { told.isNews("\($0)") }
        #expect(lines == ToldTroubles.maximum)
    }
}
