internal import Glibc
internal import Posix
internal import Spool
internal import SpoolDirectories

extension SpoolDirectory {
    /// What one pass over `new` found.
    struct Listing {
        var selection: NameSelection
        var staleTemporaries = 0
    }

    /// Makes one pass over `new` and removes temporaries that nobody will finish.
    ///
    /// What can't be removed, such as a directory, is no temporary, whatever it is called.
    ///
    /// - Parameters:
    ///   - passed: the names of each owner from which on entries count.
    ///   - lastScan: when the last scan began, by the time of files: what has changed since counts, whatever its name.
    ///   - isStopping: asked before each name; from then on the rest isn't looked at, which can take long.
    func list(
        now: WallTime, beyond passed: [UInt32: SpoolName] = [:],
        since lastScan: WallTime = WallTime(milliseconds: .max), isStopping: @autoclosure () -> Bool = false
    ) throws(SpoolFault) -> Listing {
        var listing = Listing(selection: NameSelection(beyond: passed))
        do throws(SystemCallError) {
            try new.forEachName { bytes throws(SystemCallError) in
                if isStopping() { return }
                let name = SpoolName(bytes: bytes)
                // Without a status it is gone again, or a broken disk's: the next pass tells.
                guard let status = try? new.status(of: bytes) else { return }
                let changed = WallTime(lastChangeOf: status)
                if name.isTemporary {
                    guard changed.advanced(by: .seconds(SpoolTemporary.staleAfter)) < now else { return }
                    if (try? new.unlink(bytes)) != nil {
                        listing.staleTemporaries += 1
                        return
                    }
                }
                listing.selection.offer(name, owner: status.st_uid, isNew: changed >= lastScan)
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
}
