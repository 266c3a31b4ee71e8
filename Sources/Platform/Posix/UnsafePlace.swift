internal import Glibc

/// A file or directory that isn't as it must be: one line that ends with the command that mends it.
public struct UnsafePlace: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where.
    public let path: String
    /// What is wrong with it.
    public let what: String
    /// The command.
    public let cure: String
    /// How a program ends that meets this at its start (sysexits.h): 77, or 73 where something is missing.
    public let exitCode: ExitCode

    /// Path, fault and cure.
    public var description: String { "\(path) \(what); as root: \(cure)" }

    /// What is missing: `cure` makes it.
    public static func missing(_ path: String, cure: String) -> UnsafePlace {
        UnsafePlace(path: path, what: "is missing", cure: cure, exitCode: .cannotCreate)
    }

    /// Checks that no directory on the way to `path` lets every user put another one in the place of the next.
    ///
    /// Sticky ones, such as /tmp, don't. Symbolic links are followed first.
    public static func checkWay(to path: String) throws(UnsafePlace) {
        guard let resolved = realpath(path, nil) else { return }
        defer { free(resolved) }
        var way = String(cString: resolved)
        while let slash = way.lastIndex(of: "/"), way != "/" {
            way = slash == way.startIndex ? "/" : String(way[..<slash])
            guard let mode = mode(of: way), mode & S_IWOTH != 0, mode & S_ISVTX == 0 else { continue }
            throw UnsafePlace(
                path: way, what: "lets every user replace what is in it", cure: "chmod o-w \(way)",
                exitCode: .noPermission)
        }
    }

    /// Checks that users outside owner and group have none of these rights (S_IRWXO and its parts) to a place.
    ///
    /// What isn't there, or can't be looked at, is no fault.
    public static func check(_ path: String, deniesOthers rights: UInt32, what: String) throws(UnsafePlace) {
        guard let mode = mode(of: path), mode & rights != 0 else { return }
        let letters = [(S_IROTH, "r"), (S_IWOTH, "w"), (S_IXOTH, "x")].filter { rights & $0.0 != 0 }
        throw UnsafePlace(
            path: path, what: what, cure: "chmod o-\(letters.map(\.1).joined()) \(path)",
            exitCode: .noPermission)
    }

    private static func mode(of path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode : nil
    }
}
