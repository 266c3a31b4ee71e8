internal import Posix
internal import Settings

/// What the drain stands on: the places it needs, as they are when it starts.
///
/// Landlock's rules are a directory's, not its path's. So where another directory has come to a path only a new process
/// can work with it; the queue itself tells when it is another one.
struct Ground {
    /// Where programs look accounts up (nsswitch.conf(5)), for strangers name them: the usual files, and the
    /// libraries, caches and sockets of directory services.
    private static let accounts = [
        "/etc", "/usr", "/lib", "/lib64", "/opt", "/run", "/dev/null", "/dev/urandom", "/var/db",
        "/var/lib/extrausers", "/var/lib/misc", "/var/lib/sss", "/var/opt", "/var/yp",
    ]

    private let confinement: Confinement
    private let directories: [(path: String, identity: FileIdentity?)]
    /// Whether all else is out of reach.
    private(set) var isConfined = false

    /// Notes what stands where.
    init(_ configuration: Configuration) {
        let own = [configuration.spool.directory] + [configuration.metrics.directory].compactMap(\.self)
        confinement = Confinement(reading: Self.accounts, writing: own + [configuration.queue.directory])
        directories = own.map { ($0, FileIdentity(path: $0)) }
    }

    /// Puts all else out of reach.
    mutating func confine() throws(SystemCallError) {
        try confinement.apply()
        isConfined = true
    }

    /// The first directory in whose place another one stands; one that is missing may come back.
    var replacedDirectory: String? {
        directories.first { FileIdentity(path: $0.path) ?? $0.identity != $0.identity }?.path
    }
}
