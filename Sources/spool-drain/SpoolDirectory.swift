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

    /// What became of entries that can't be used.
    struct SetAside {
        var moved = 0
        var stuck: [SpoolName] = []
        /// What else went wrong.
        var trouble: SystemCallError?
    }

    let new: Directory
    let corrupt: Directory

    /// Opens both directories and checks that nobody else can reach in.
    init(path: String) throws(SpoolFault) {
        new = try Self.open("\(path)/new", .new)
        corrupt = try Self.open("\(path)/corrupt", .corrupt)
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
    func list(now: WallTime) throws(SpoolFault) -> Listing {
        var listing = Listing()
        do throws(SystemCallError) {
            try new.forEachName { bytes throws(SystemCallError) in
                let name = SpoolName(bytes: bytes)
                // Without a status it is gone again, or a broken disk's: the next pass tells.
                guard let status = try? new.status(of: bytes) else { return }
                if !name.isTemporary {
                    listing.selection.offer(name, owner: status.st_uid)
                } else if EntryFacts(status).changed.advanced(by: .seconds(SpoolTemporary.staleAfter)) < now {
                    if (try? new.unlink(bytes)) != nil { listing.staleTemporaries += 1 }
                }
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
        var result = SetAside()
        for entry in entries {
            do throws(SystemCallError) {
                let reasons = try ReasonsLog(in: corrupt)
                try setAside(entry.name)
                result.moved += 1
                try reasons.append(entry, at: now)
            } catch {
                // Somebody's full directory: only root can move it, and that is told once for all of them.
                if error.errno != .permissionDenied && error.errno != .notEmpty { result.trouble = error }
                if (try? new.status(of: entry.name.bytes)) != nil { result.stuck.append(entry.name) }
            }
        }
        return result
    }

    /// The entry keeps its name unless that is taken; an empty directory is removed instead.
    private func setAside(_ name: SpoolName) throws(SystemCallError) {
        do throws(SystemCallError) {
            try new.move(name.bytes, to: corrupt, as: name.bytes)
        } catch {
            switch error.errno {
            case .notFound: return
            case .exists: try new.move(name.bytes, to: corrupt, as: try otherName(of: name))
            case .permissionDenied: try new.removeDirectory(name.bytes)
            default: throw error
            }
        }
    }

    private func otherName(of name: SpoolName) throws(SystemCallError) -> [UInt8] {
        let inode = Array("\(try new.status(of: name.bytes).st_ino).".utf8)
        return inode + name.bytes.prefix(Int(NAME_MAX) - inode.count)
    }
}
