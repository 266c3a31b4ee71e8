internal import Glibc
internal import Posix
internal import Spool

/// The open spool: `new`, where anybody may add an entry, and `corrupt`, where a person looks at what can't be used.
final class SpoolDirectory {
    /// What one pass over `new` found.
    struct Listing {
        var selection = NameSelection()
        var staleTemporaries = 0
    }

    /// What became of an entry that can't be used.
    enum Fate {
        /// It is in `corrupt`.
        case moved
        /// It was an empty directory, which was removed.
        case removed
        /// Its owner was faster.
        case vanished
        /// It is somebody's full directory: only root can move it.
        case stuck
        /// Something failed; it is where it was.
        case left
    }

    /// What became of entries that can't be used.
    struct SetAside {
        /// One for each entry.
        var fates: [Fate] = []
        /// What went wrong.
        var trouble: SystemCallError?

        /// How many met this fate.
        func count(_ fate: Fate) -> Int { fates.count { $0 == fate } }
    }

    let new: Directory
    let corrupt: Directory

    /// Makes root go on as the owner of `new`, so that whatever it leaves behind is the service's.
    static func becomeOwner(path: String) throws(SpoolFault) {
        let new = "\(path)/new"
        do throws(SystemCallError) {
            try ProcessIdentity.becomeOwner(ofDirectory: new)
        } catch {
            throw error.errno == .notFound ? .missing(path: new, .new) : .system(error)
        }
    }

    /// Opens both directories and checks that nobody else can reach in.
    init(path: String) throws(SpoolFault) {
        new = try Self.open("\(path)/new", .new)
        corrupt = try Self.open("\(path)/corrupt", .corrupt)
    }

    /// What keeps the hooks of other users out of `new`, in a line that ends with its cure; nil when nothing does.
    ///
    /// No fault: a spool may be one user's own.
    func warning(path: String) throws(SpoolFault) -> String? {
        do throws(SystemCallError) {
            return SpoolFault.Place.warning(ofNew: "\(path)/new", mode: try new.status().st_mode)
        } catch {
            throw .system(error)
        }
    }

    private static func open(_ path: String, _ place: SpoolFault.Place) throws(SpoolFault) -> Directory {
        let directory = try existing(path, place)
        let fault: String?
        do throws(SystemCallError) {
            let status = try directory.status()
            fault = place.fault(owner: status.st_uid, mode: status.st_mode, user: geteuid())
        } catch {
            throw .system(error)
        }
        if let fault { throw .unsafe(path: path, place, what: fault) }
        return directory
    }

    private static func existing(_ path: String, _ place: SpoolFault.Place) throws(SpoolFault) -> Directory {
        do throws(SystemCallError) {
            return try Directory(path: path)
        } catch {
            throw error.errno == .notFound ? .missing(path: path, place) : .system(error)
        }
    }

    /// Makes one pass over `new` and removes temporaries that nobody will finish.
    ///
    /// What can't be removed, such as a directory, is no temporary, whatever it is called.
    func list(now: WallTime) throws(SpoolFault) -> Listing {
        var listing = Listing()
        do throws(SystemCallError) {
            try new.forEachName { bytes throws(SystemCallError) in
                let name = SpoolName(bytes: bytes)
                // Without a status it is gone again, or a broken disk's: the next pass tells.
                guard let status = try? new.status(of: bytes) else { return }
                if name.isTemporary {
                    let changed = EntryFacts(status).changed
                    guard changed.advanced(by: .seconds(SpoolTemporary.staleAfter)) < now else { return }
                    if (try? new.unlink(bytes)) != nil {
                        listing.staleTemporaries += 1
                        return
                    }
                }
                listing.selection.offer(name, owner: status.st_uid)
            }
        } catch {
            throw .system(error)
        }
        return listing
    }

    /// Removes entries; gives how many are gone now, and what kept another.
    func unlink(_ names: [SpoolName]) -> (gone: Int, trouble: SystemCallError?) {
        var gone = 0
        var trouble: SystemCallError?
        for name in names {
            do throws(SystemCallError) {
                try new.unlink(name.bytes)
                gone += 1
            } catch {
                if error.errno == .notFound { gone += 1 } else { trouble = error }
            }
        }
        return (gone, trouble)
    }

    /// Moves entries to `corrupt` and notes there why; what can't be moved stays.
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
                fate = try setAside(entry.name)
                if fate == .moved { try reasons.append(entry, at: now) }
            } catch {
                result.trouble = error
            }
            result.fates.append(fate)
        }
        return result
    }

    /// The entry keeps its name unless that is taken.
    private func setAside(_ name: SpoolName) throws(SystemCallError) -> Fate {
        do throws(SystemCallError) {
            try new.move(name.bytes, to: corrupt, as: name.bytes)
            return .moved
        } catch {
            switch error.errno {
            case .notFound: return .vanished
            case .exists:
                try new.move(name.bytes, to: corrupt, as: try otherName(of: name))
                return .moved
            case .permissionDenied:
                guard let fate = try removed(name) else { throw error }
                return fate
            default: throw error
            }
        }
    }

    /// Removes a directory that somebody else owns and so only he and root can move; nil when it is none.
    private func removed(_ name: SpoolName) throws(SystemCallError) -> Fate? {
        do throws(SystemCallError) {
            try new.removeDirectory(name.bytes)
            return .removed
        } catch {
            switch error.errno {
            case .notEmpty, .exists: return .stuck
            case .notADirectory: return nil
            default: throw error
            }
        }
    }

    private func otherName(of name: SpoolName) throws(SystemCallError) -> [UInt8] {
        let inode = Array("\(try new.status(of: name.bytes).st_ino).".utf8)
        return inode + name.bytes.prefix(Int(NAME_MAX) - inode.count)
    }
}
