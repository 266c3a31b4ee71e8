/// Which troubles have been told: each is told once, and their end too, when a scan has gone by without any.
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

    /// A scan has ended; tells whether what was told is over.
    mutating func scanEnded() -> Bool {
        let isOver = isClear && !texts.isEmpty
        if isClear { texts = [] }
        isClear = true
        return isOver
    }
}
