internal import Glibc
public import Posix

/// The open spool: `new`, where anybody may add an entry, and `corrupt`, where a person looks at what can't be used.
public final class SpoolDirectory {
    /// Where entries are.
    public let new: Directory
    /// Where those are that can't be used.
    public let corrupt: Directory

    /// Makes root go on as the owner of `new`, so that whatever it leaves behind is the service's.
    public static func becomeOwner(path: String) throws(SpoolFault) {
        let new = "\(path)/new"
        do throws(SystemCallError) {
            try ProcessIdentity.becomeOwner(ofDirectory: new)
        } catch {
            throw error.errno == .notFound ? .missing(path: new, .new) : .system(error)
        }
    }

    /// Opens both directories and checks that nobody else can reach in.
    public init(path: String) throws(SpoolFault) {
        do throws(UnsafePlace) {
            try UnsafePlace.checkWay(to: "\(path)/new")
        } catch {
            throw .exposed(error)
        }
        new = try Self.open("\(path)/new", .new)
        corrupt = try Self.open("\(path)/corrupt", .corrupt)
    }

    /// What keeps the hooks of other users out of `new`, in a line that ends with its cure; nil when nothing does.
    ///
    /// No fault: a spool may be one user's own.
    public func warning(path: String) throws(SpoolFault) -> String? {
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
}
