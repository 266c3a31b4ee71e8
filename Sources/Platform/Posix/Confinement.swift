internal import CPosix
internal import Glibc

/// Which files a process may still open, whoever it is and whatever modes they have (landlock(7)).
///
/// A grant holds for a directory and all below it, or for a file, as it stands at that moment: not for another one
/// that comes to its path. What is open stays open. Sockets aren't files: the network stays as it is, and so do the
/// named sockets of services. Nothing may be executed, and no directory made.
public struct Confinement: Equatable, Sendable {
    /// What may be read.
    public let reading: [String]
    /// Where files may be read, made, written, moved and removed.
    public let writing: [String]

    private static let fileRead = UInt64(LANDLOCK_ACCESS_FS_READ_FILE)
    private static let read = fileRead | UInt64(LANDLOCK_ACCESS_FS_READ_DIR)
    /// A file's own rights; all others are a directory's.
    private static let ofFile = fileRead | UInt64(LANDLOCK_ACCESS_FS_WRITE_FILE) | CPOSIX_LANDLOCK_TRUNCATE
    /// All rights of Linux 5.19, from EXECUTE to REFER.
    private static let all = UInt64(LANDLOCK_ACCESS_FS_REFER) << 1 - 1
    private static let neverGranted =
        UInt64(LANDLOCK_ACCESS_FS_EXECUTE) | UInt64(LANDLOCK_ACCESS_FS_MAKE_DIR) | CPOSIX_LANDLOCK_IOCTL_DEV

    /// Names the places.
    public init(reading: [String], writing: [String]) { (self.reading, self.writing) = (reading, writing) }

    /// Confines the calling thread, and whatever it starts, for good; it never again gets privileges from a file.
    ///
    /// A place that isn't there, or that the process can't get to, is passed over.
    ///
    /// - Throws: where the kernel can't: ENOSYS or EOPNOTSUPP without Landlock, EOPNOTSUPP before Linux 5.19, which
    ///   lets nobody move a file from one directory to another. Nothing has changed then.
    public func apply() throws(SystemCallError) {
        let handled = try Self.rights()
        let ruleset = FileDescriptor(
            owning: try systemCall("landlock_create_ruleset", "the kernel") {
                cposix_landlock_create(handled)
            })
        for path in reading { try allow(path, Self.read, in: ruleset) }
        for path in writing { try allow(path, handled & ~Self.neverGranted, in: ruleset) }
        try ProcessIdentity.giveUpNewPrivileges()
        _ = try systemCall("landlock_restrict_self", "the kernel") {
            cposix_landlock_restrict(ruleset.rawValue)
        }
    }

    /// All rights that this kernel knows of.
    private static func rights() throws(SystemCallError) -> UInt64 {
        let call: StaticString = "landlock_create_ruleset"
        switch try systemCall(call, "the kernel", { cposix_landlock_version() }) {
        case ..<2: throw SystemCallError(call: "\(call)", subject: "the kernel", errno: .notSupported)
        case 2: return all
        case 3, 4: return all | CPOSIX_LANDLOCK_TRUNCATE
        default: return all | CPOSIX_LANDLOCK_TRUNCATE | CPOSIX_LANDLOCK_IOCTL_DEV
        }
    }

    private func allow(_ path: String, _ rights: UInt64, in ruleset: borrowing FileDescriptor)
        throws(SystemCallError)
    {
        let number = ruleset.rawValue
        do throws(SystemCallError) {
            let place = try FileDescriptor.open(path, CPOSIX_O_PATH)
            let isDirectory = try place.status().st_mode & S_IFMT == S_IFDIR
            let rights = isDirectory ? rights : rights & Self.ofFile
            _ = try systemCall("landlock_add_rule", path) {
                cposix_landlock_allow(number, place.rawValue, rights)
            }
        } catch  where error.errno == .notFound || error.errno == .permissionDenied {}
    }
}
