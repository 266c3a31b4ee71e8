internal import Glibc
internal import Posix
internal import Queue
internal import Spool
internal import SpoolDirectories

/// What fstat(2) tells of an open file in the spool, as far as it matters.
struct EntryFacts: Equatable, Sendable {
    var isRegular: Bool
    var links: Int
    var size: Int
    var owner: UInt32
    /// When the inode last changed: the one time that nobody can set.
    var changed: WallTime
}

extension EntryFacts {
    /// Takes over what fstat(2) gave.
    init(_ status: stat) {
        self.init(
            isRegular: status.st_mode & S_IFMT == S_IFREG, links: Int(clamping: status.st_nlink),
            size: Int(clamping: status.st_size), owner: status.st_uid,
            changed: WallTime(lastChangeOf: status))
    }
}

/// What is to be done with one entry.
enum EntryVerdict: Equatable, Sendable {
    /// It becomes a notice.
    case notice(NewNotice)
    /// It can't be used.
    case damaged(SpoolEntryDamage)
    /// It may still be in somebody's hands: looked at again shortly.
    case unfinished
}

/// An entry that can't be used.
struct DamagedEntry: Equatable, Sendable {
    let name: SpoolName
    let owner: UInt32
    let damage: SpoolEntryDamage
}
