internal import Glibc
public import Posix

/// An entry that can't be used, as it lies in `corrupt`; the older one is the smaller.
public struct CorruptEntry: Comparable, Sendable {
    /// Its name there.
    public let name: SpoolName
    /// The uid of its owner.
    public let owner: UInt32
    /// Its length in bytes.
    public let size: Int
    /// When it was set aside: nothing but its owner's hand on an open file has changed it since.
    public let since: WallTime

    /// Describes an entry.
    public init(name: SpoolName, owner: UInt32, size: Int, since: WallTime) {
        (self.name, self.owner, self.size, self.since) = (name, owner, size, since)
    }

    /// By time, then by name.
    public static func < (left: CorruptEntry, right: CorruptEntry) -> Bool {
        (left.since, left.name) < (right.since, right.name)
    }
}

extension SpoolDirectory {
    /// Calls `body` with each entry in `corrupt`, in no order, and holds none of them itself.
    public func forEachCorruptEntry(_ body: (CorruptEntry) -> Void) throws(SystemCallError) {
        try corrupt.forEachName { bytes in
            // Without a status somebody has just taken it away.
            guard bytes != ReasonsLog.name.bytes, let status = try? corrupt.status(of: bytes) else { return }
            body(
                CorruptEntry(
                    name: SpoolName(bytes: bytes), owner: status.st_uid, size: Int(clamping: status.st_size),
                    since: WallTime(lastChangeOf: status)))
        }
    }

    /// Puts an entry of `corrupt` back into `new` as it is, owner and mode included, for the drain to judge it again.
    ///
    /// - Throws: EEXIST where an entry in `new` has its name, ENOENT where it has gone.
    public func putBack(_ entry: CorruptEntry) throws(SystemCallError) {
        try corrupt.move(entry.name.bytes, to: new, as: entry.name.bytes)
    }
}
