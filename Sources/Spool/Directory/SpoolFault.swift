internal import Glibc
public import Posix

/// Why a directory of the spool can't be used: one line that ends with the command that mends it.
public enum SpoolFault: Error, Equatable, Sendable {
    /// It isn't there.
    case missing(path: String, Place)
    /// Others could reach in.
    case unsafe(path: String, Place, what: String)
    /// Others could put another directory in its place.
    case exposed(UnsafePlace)
    /// The system doesn't let us.
    case system(SystemCallError)

    /// Which of the two directories.
    public enum Place: Sendable {
        /// Where entries are, and where those are that can't be used.
        case new, corrupt

        /// Why a directory with this owner and mode isn't safe for `user`; nil when it is.
        func fault(owner: UInt32, mode: UInt32, user: UInt32) -> String? {
            if owner != user { return "belongs to uid \(owner), not to uid \(user)" }
            switch self {
            case .new:
                if mode & S_IROTH != 0 { return "lets everybody list it" }
                let isShared = mode & (S_IWGRP | S_IWOTH) != 0
                return isShared && mode & S_ISVTX == 0 ? "lets users remove each other's entries" : nil
            case .corrupt:
                return mode & (S_IRWXG | S_IRWXO) == 0 ? nil : "lets other users in"
            }
        }

        /// Tells of a `new` with this mode that hooks of other users can't write to it; nil when they can.
        static func warning(ofNew path: String, mode: UInt32) -> String? {
            guard mode & (S_IWOTH | S_IXOTH) != S_IWOTH | S_IXOTH else { return nil }
            return "\(path) has mode \(String(mode & 0o7777, radix: 8)): hooks of other "
                + "users can't add entries; as root: chmod \(Place.new.mode) \(path)"
        }

        /// The mode to give it.
        var mode: String {
            switch self {
            case .new: "3733"
            case .corrupt: "0700"
            }
        }
    }

    /// How a program ends when it meets this at its start (sysexits.h): 69 or 77.
    public var exitCode: ExitCode {
        switch self {
        case .missing: .unavailable
        case .unsafe: .noPermission
        case .exposed(let place): place.exitCode
        case .system(let error): error.errno == .permissionDenied ? .noPermission : .unavailable
        }
    }
}

extension SpoolFault: CustomStringConvertible {
    /// Path, fault and cure.
    public var description: String {
        switch self {
        case .missing(let path, let place): "\(path) is missing; as root: \(Self.cure(path, place))"
        case .unsafe(let path, let place, let what): "\(path) \(what); as root: \(Self.cure(path, place))"
        case .exposed(let place): place.description
        case .system(let error): error.description
        }
    }

    /// install(1) makes a directory or corrects the one that is there.
    private static func cure(_ path: String, _ place: Place) -> String {
        "install -d -m \(place.mode) -o \(geteuid()) -g \(getegid()) \(path)"
    }
}
