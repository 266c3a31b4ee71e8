/// The streams of a connection that wait for their answer, oldest first.
///
/// Ids grow with time (RFC 9113 section 5.1.1), so the order of opening is the order of ids. Every call takes
/// constant time on average, whatever waits.
struct WaitingStreams {
    /// In the order of opening; those that aren't in `open` have gone, the first one never.
    private var order: [(stream: Int32, since: Duration)] = []
    /// Where `order` begins.
    private var head = 0
    private var open: Set<Int32> = []

    var count: Int { open.count }
    var isEmpty: Bool { open.isEmpty }

    /// Since when the one that has waited longest waits.
    var oldest: Duration? { head < order.count ? order[head].since : nil }

    mutating func add(_ stream: Int32, now: Duration) {
        order.append((stream, now))
        open.insert(stream)
    }

    /// Takes a stream off; false when it wasn't waiting.
    mutating func remove(_ stream: Int32) -> Bool {
        guard open.remove(stream) != nil else { return false }
        tidy()
        return true
    }

    /// Takes off those that were opened up to a time, in their order.
    mutating func removeOpened(until time: Duration) -> [Int32] {
        var removed: [Int32] = []
        while let oldest, oldest <= time {
            removed.append(order[head].stream)
            open.remove(order[head].stream)
            tidy()
        }
        return removed
    }

    /// Takes off those with higher ids, in their order.
    mutating func remove(above last: Int32) -> [Int32] {
        var removed: [Int32] = []
        while head < order.count, let newest = order.last, newest.stream > last {
            order.removeLast()
            if open.remove(newest.stream) != nil { removed.append(newest.stream) }
        }
        tidy()
        return removed.reversed()
    }

    private mutating func tidy() {
        while head < order.count, !open.contains(order[head].stream) { head += 1 }
        if order.count > 2 * open.count + 64 {
            order = order[head...].filter { open.contains($0.stream) }
            head = 0
        }
    }
}
