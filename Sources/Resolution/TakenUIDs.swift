/// Which messages were named for a notice lately, so that none is for two.
struct TakenUIDs: Sendable {
    /// How many are remembered: more than come while one bound lasts.
    static let limit = 4096

    struct Message: Hashable, Sendable {
        var account: String
        var folder: String
        var uidValidity: UInt32?
        var uid: UInt32
    }

    private var messages: Set<Message> = []
    /// The same in a ring, the oldest at `oldest` once it is full.
    private var ring: [Message] = []
    private var oldest = 0

    func contains(_ message: Message) -> Bool { messages.contains(message) }

    mutating func insert(_ message: Message) {
        guard messages.insert(message).inserted else { return }
        guard ring.count == Self.limit else { return ring.append(message) }
        messages.remove(ring[oldest])
        ring[oldest] = message
        oldest = (oldest + 1) % Self.limit
    }
}
