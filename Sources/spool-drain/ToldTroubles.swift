/// Which troubles have been told: each is told once, until a scan has gone by without any.
struct ToldTroubles {
    /// A bound for the memory and the log: who meets more at a time has enough to read.
    static let maximum = 100

    private var texts: Set<String> = []
    private var isClear = true

    /// Takes note of a trouble; tells whether it is to be told.
    mutating func isNews(_ text: String) -> Bool {
        isClear = false
        return texts.count < Self.maximum && texts.insert(text).inserted
    }

    /// A scan has ended.
    mutating func scanEnded() {
        if isClear { texts = [] }
        isClear = true
    }
}
