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
            #expect(told.scanEnded() == false)
            #expect(told.isNews("busy") == false)
            #expect(told.scanEnded() == false)
            #expect(told.isNews("full") == false)
        }
    }

    @Test("A scan without trouble is told as the end of it, once, and then the same one is news again")
    mutating func clear() {
        #expect(told.scanEnded() == false)
        #expect(told.isNews("busy") == true)
        #expect(told.scanEnded() == false)
        #expect(told.scanEnded() == true)
        #expect(told.scanEnded() == false)
        #expect(told.isNews("busy") == true)
    }

    @Test("However many there are, the log gets a bounded number of lines")
    mutating func bound() {
        let lines = (0..<1000).count { told.isNews("\($0)") }
        #expect(lines == ToldTroubles.maximum)
    }
}
