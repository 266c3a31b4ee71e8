public import Queue
internal import TokenSealing

extension QueueStore {
    /// Opens a queue as dispatch and the operator do, with the key beside it.
    public static func unlocked(path: String, busyTimeout: Duration) throws -> QueueStore {
        let store = try QueueStore(path: path, busyTimeout: busyTimeout)
        try store.unlock(with: try store.key(beside: path))
        return store
    }

    /// The key in the directory of a queue, which is made where nothing is sealed yet.
    public func key(beside path: String) throws -> TokenSeal {
        let directory = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
        return try TokenKeyFile(path: "\(directory)/doorbell.key").load(making: try !hasSealedTokens())
    }
}
