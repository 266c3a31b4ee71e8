/// Which messages were named for a notice lately, so that none is for two.
struct TakenUIDs: Sendable {
    /// How many are remembered: more than come while one bound lasts.
    static let limit = 4096

    struct Message: Hashable, Sendable {
        /// As bytes, like the folder's: to Swift names are equal that look alike.
        private let account: [UInt8]
        private let folder: [UInt8]
        private let uidValidity: UInt32?
        private let uid: UInt32

        init(account: String, folder: String, uidValidity: UInt32?, uid: UInt32) {
            (self.account, self.folder) = (Array(account.utf8), Array(folder.utf8))
            (self.uidValidity, self.uid) = (uidValidity, uid)
        }
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
