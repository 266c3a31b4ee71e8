public import APNs
public import Posix

/// Everything the programs are told by their configuration file, checked, with its defaults filled in.
///
/// Loading it opens no other file: most programs may not even read the signing key.
public struct Configuration: Equatable, Sendable {
    /// Where the file stands when nobody says otherwise.
    public static let defaultPath = "/etc/doorbell/doorbell.toml"

    /// The file it was read from.
    public let file: String
    /// Where mail's wakes come in.
    public let spool: Spool
    /// Where wakes wait.
    public let queue: Queue
    /// Which mail rings nobody.
    public let quiet: Quiet
    /// How to reach Apple; nil when nothing is to be sent.
    public let push: Push?
    /// Why nothing is to be sent, for one line in the log; nil when `push` is set.
    public let pushIsDisabledBecause: String?
    /// What a device gets that is registered without a topic or an environment.
    public let deviceDefaults: DeviceDefaults
    /// How to ask the mail server for UIDs; nil when it isn't asked.
    public let dovecot: Dovecot?
    /// Where counters are written.
    public let metrics: Metrics
    /// How long what has ended is kept.
    public let retention: Retention

    /// `[spool]`.
    public struct Spool: Equatable, Sendable {
        /// The directory that holds `new` and `corrupt`.
        public let directory: String
        /// Users whose entries may speak for any user.
        public let trustedUIDs: [UInt32]
        /// How often the spool is scanned although nothing was heard from it; whole seconds, at least 1.
        public let rescan: Duration
    }

    /// `[queue]`.
    public struct Queue: Equatable, Sendable {
        /// The database file.
        public let path: String
        /// How long a wake waits while nothing is sent, before it is dropped.
        public let maxAge: Duration
        /// When any wake is no longer worth sending: what Apple is told.
        public let expiration: Duration

        /// The directory of the database, which the programs share; what else stands there is named below.
        public var directory: String {
            let end = path.lastIndex(of: "/") ?? path.startIndex
            return end == path.startIndex ? "/" : String(path[..<end])
        }

        /// The file that spool-drain locks while it runs.
        public var drainLock: String { beside("drain.lock") }
        /// The file that dispatch locks while it runs.
        public var dispatchLock: String { beside("dispatch.lock") }
        /// The key that device tokens are sealed with.
        public var tokenKey: String { beside("doorbell.key") }
        /// The pipe by which spool-drain tells dispatch that there is work.
        public var trigger: String { beside("dispatch.wake") }
        /// The file in which dispatch says how its lanes are.
        public var laneStatus: String { beside("dispatch.status") }
        /// The file in which dispatch keeps its provider token over a restart.
        public var providerToken: String { beside("provider-token.json") }

        private func beside(_ name: String) -> String {
            directory == "/" ? "/\(name)" : "\(directory)/\(name)"
        }
    }

    /// `[quiet]`.
    public struct Quiet: Equatable, Sendable {
        /// What mail may be, besides mail from somebody.
        public enum Kind: String, CaseIterable, Sendable {
            case spam, bounce, report, list, bulk
        }

        /// The kinds that ring nobody.
        public let kinds: [Kind]
        /// The folders in which all mail is spam.
        public let junkFolders: [String]
        /// Whose mail rings nobody: addresses, `@domain` for all of a domain, or names for every domain.
        public let recipients: [String]

        /// Puts a section together, for tests of what follows from it; as it is, nothing is quiet by itself.
        public init(kinds: [Kind] = [], junkFolders: [String] = [], recipients: [String] = []) {
            (self.kinds, self.junkFolders, self.recipients) = (kinds, junkFolders, recipients)
        }
    }

    /// `[push]`, when it is enabled.
    public struct Push: Equatable, Sendable {
        /// The signing key, a `.p8` file.
        public let keyFile: NamedFile
        /// The signing key's id.
        public let keyID: String
        /// The developer team's id.
        public let teamID: String
        /// The topic of devices that were registered without one.
        public let topic: String
        /// The environment of devices that were registered without one.
        public let environment: Environment
        /// The port at Apple: 443 or 2197.
        public let port: UInt16
        /// Certificates to trust besides the system's.
        public let caFile: NamedFile?
    }

    /// What `[push]` says about devices, whether it is enabled or not.
    public struct DeviceDefaults: Equatable, Sendable {
        /// The topic, where the file names one.
        public let topic: String?
        /// The environment; production where the file names none.
        public let environment: Environment
    }

    /// Whether a text can be a topic, by the rule that holds for the file.
    ///
    /// A device that is registered with another one uses the same header and metrics.
    public static func isTopic(_ text: String) -> Bool { TextRule.topic.isMet(text) }

    /// `[dovecot]`.
    public struct Dovecot: Equatable, Sendable {
        /// Where IMAP is, and as whom any account's mail is opened there.
        public let imap: IMAP?
        /// Where doveadm's HTTP interface is, and the file with its key.
        public let doveadm: Doveadm?
        /// What a name without `@` is asked for with behind one; nil: names are asked for as they are.
        public let domain: String?
        /// How long a wake waits for its uid.
        public let bound: Duration

        /// IMAP's side of it.
        public struct IMAP: Equatable, Sendable {
            /// Where it listens, on this machine.
            public let address: SocketAddress
            /// The master user.
            public let masterUser: String
            /// The file with the master user's password.
            public let passwordFile: NamedFile
        }

        /// Doveadm's side of it.
        public struct Doveadm: Equatable, Sendable {
            /// Where it listens, on this machine.
            public let address: SocketAddress
            /// The file with the key of the interface.
            public let keyFile: NamedFile
        }
    }

    /// `[metrics]`.
    public struct Metrics: Equatable, Sendable {
        /// The directory of the textfiles; nil when none are to be written.
        public let directory: String?
    }

    /// `[retention]`.
    public struct Retention: Equatable, Sendable {
        /// How long wakes that have ended stay in the queue.
        public let push: Duration
    }
}
