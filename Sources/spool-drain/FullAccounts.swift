/// Accounts that had no room in the queue, to ask it again: as many as are asked for in a moment.
///
/// Whom there are more of is found by the next regular scan, which looks at all.
struct FullAccounts {
    static let maximum = 100

    /// By the name's bytes: texts that are equal to Swift may be different accounts.
    private var names: Set<[UInt8]> = []

    /// The accounts.
    var users: [String] { names.map { String(decoding: $0, as: UTF8.self) } }

    /// Takes note of one.
    mutating func add(_ user: String) {
        if names.count < Self.maximum { names.insert(Array(user.utf8)) }
    }
}
