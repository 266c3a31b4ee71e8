internal import Glibc
internal import Posix
internal import Spool
internal import SpoolDirectories

extension SpoolDirectory {
    /// What became of an entry that can't be used.
    enum Fate {
        /// It is in `corrupt`.
        case moved
        /// It was an empty directory, which was removed.
        case removed
        /// Its owner was faster.
        case vanished
        /// It is a full directory: only root can move it.
        case stuck
        /// Something failed; it is where it was.
        case left
    }

    /// What became of entries that can't be used.
    struct SetAside {
        /// One for each entry.
        var fates: [Fate] = []
        /// How many of `corrupt` went to keep its bounds.
        var evicted = 0
        /// What went wrong.
        var trouble: SystemCallError?

        /// How many met this fate.
        func count(_ fate: Fate) -> Int { fates.count { $0 == fate } }
    }

    /// Moves entries to `corrupt`, notes there why, and keeps its bounds; what can't be moved stays.
    func setAside(_ entries: [DamagedEntry], now: WallTime) -> SetAside {
        let reasons: ReasonsLog
        do throws(SystemCallError) {
            reasons = try ReasonsLog(in: corrupt)
        } catch {
            return SetAside(fates: entries.map { _ in .left }, trouble: error)
        }
        var result = SetAside()
        for entry in entries {
            var fate = Fate.left
            do throws(SystemCallError) {
                if let directory = try removeDirectory(entry.name) {
                    fate = directory
                } else if let name = try move(entry.name) {
                    fate = .moved
                    try reasons.append(name, owner: entry.owner, entry.damage, at: now)
                } else {
                    fate = .vanished
                }
            } catch {
                result.trouble = error
            }
            result.fates.append(fate)
        }
        if result.count(.moved) > 0 { evictSurplus(&result) }
        return result
    }

    /// Removes an empty directory, in which there is nothing to be looked at; nil when it is none.
    ///
    /// A full one is never moved, not even where its owner lets us: nobody but him could empty it in `corrupt`.
    private func removeDirectory(_ name: SpoolName) throws(SystemCallError) -> Fate? {
        do throws(SystemCallError) {
            try new.removeDirectory(name.bytes)
            return .removed
        } catch {
            switch error.errno {
            case .notADirectory: return nil
            case .notEmpty, .exists: return .stuck
            case .notFound: return .vanished
            default: throw error
            }
        }
    }

    /// Moves an entry under its name or, where that is taken, another one; gives that, nil when the entry has gone.
    private func move(_ name: SpoolName) throws(SystemCallError) -> SpoolName? {
        do throws(SystemCallError) {
            try new.move(name.bytes, to: corrupt, as: name.bytes)
            return name
        } catch {
            switch error.errno {
            case .notFound: return nil
            case .exists:
                let other = Self.otherName(of: name)
                try new.move(name.bytes, to: corrupt, as: other.bytes)
                return other
            default: throw error
            }
        }
    }

    /// The name with random digits before it.
    ///
    /// Not the inode's number: its owner may exchange the entry meanwhile, and a file system gives numbers again. So a
    /// name made of one could be taken, and the entry would stay.
    private static func otherName(of name: SpoolName) -> SpoolName {
        let digits = Array("\(UInt64.random(in: 0...UInt64.max)).".utf8)
        return SpoolName(bytes: digits + name.bytes.prefix(Int(NAME_MAX) - digits.count))
    }

    /// Looked at anew each time, so that it is right whatever a person has taken away or put there.
    private func evictSurplus(_ result: inout SetAside) {
        var holding = CorruptHolding()
        do throws(SystemCallError) {
            try forEachCorruptEntry { entry in
                for name in holding.add(entry) {
                    do throws(SystemCallError) {
                        try corrupt.unlink(name.bytes)
                        result.evicted += 1
                    } catch {
                        // A person may be faster.
                        if error.errno != .notFound { result.trouble = error }
                    }
                }
            }
        } catch {
            result.trouble = error
        }
    }
}
