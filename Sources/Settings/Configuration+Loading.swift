internal import Glibc
internal import Posix
internal import TOML

extension Configuration {
    /// More than any configuration needs; a bound, so that a wrong path can't fill the memory.
    private static let maximumFileBytes = 1 << 20

    /// Reads and checks a configuration file.
    ///
    /// - Throws: the first fault found; the caller prints it and exits 78.
    public static func load(_ path: String) throws(ConfigurationError) -> Configuration {
        let bytes: [UInt8]
        let mode: UInt32
        do throws(SystemCallError) {
            (bytes, mode) = try read(path)
        } catch {
            let hint = error.errno == .notFound ? "; --config names another" : ""
            throw ConfigurationError(file: path, position: nil, key: nil, fault: "\(error.errno)\(hint)")
        }
        // It says whose entries count for anybody, and which files are opened.
        guard mode & S_IFMT != S_IFREG || mode & (S_IWGRP | S_IWOTH) == 0 else {
            let fault = "can be written by others than its owner; as root: chmod go-w \(path)"
            throw ConfigurationError(file: path, position: nil, key: nil, fault: fault)
        }
        do throws(UnsafePlace) {
            try UnsafePlace.checkWay(to: path)
        } catch {
            throw ConfigurationError(file: path, position: nil, key: nil, fault: "\(error)")
        }
        guard bytes.count <= maximumFileBytes else {
            let fault = "is larger than \(maximumFileBytes) bytes"
            throw ConfigurationError(file: path, position: nil, key: nil, fault: fault)
        }
        return try parse(bytes, file: path)
    }

    private static func read(_ path: String) throws(SystemCallError) -> ([UInt8], mode: UInt32) {
        let file = try FileDescriptor.open(path, O_RDONLY)
        var bytes: [UInt8] = []
        while bytes.count <= maximumFileBytes {
            let more = try file.read(upTo: maximumFileBytes)
            if more.isEmpty { break }
            bytes += more
        }
        return (bytes, try file.status().st_mode)
    }

    /// Checks the text of a configuration file.
    static func parse(_ bytes: [UInt8], file: String) throws(ConfigurationError) -> Configuration {
        let document: TOMLTable
        do throws(TOMLError) {
            document = try TOMLDocument.parse(bytes)
        } catch {
            throw ConfigurationError(file: file, position: error.position, key: nil, fault: error.cause)
        }
        var top = TableReader(file: file, document: document)
        var spool = try top.table("spool")
        var queue = try top.table("queue")
        var quiet = try top.table("quiet")
        let push = try PushSection(&top)
        let dovecot = try DovecotSection(&top).dovecot
        var metrics = try top.table("metrics")
        var retention = try top.table("retention")
        let configuration = Configuration(
            file: file,
            spool: Spool(
                directory: try spool.string("directory", .absolutePath) ?? "/var/spool/doorbell",
                trustedUIDs: try spool.integers("trusted_uids", "user ids") { $0 != .max } ?? [0],
                rescan: try spool.duration("rescan", in: .seconds(1)...days(1)) ?? .seconds(60)),
            queue: Queue(
                path: try queue.string("path", .absolutePath) ?? "/var/lib/doorbell/doorbell.db",
                maxAge: try queue.duration("max_age", in: .seconds(1)...days(30)) ?? .seconds(3600),
                // Apple keeps a notification for 30 days at most.
                expiration: try queue.duration("expiration", in: .seconds(1)...days(30)) ?? days(1)),
            quiet: Quiet(
                kinds: try quiet.choices("kinds", of: Quiet.Kind.self) ?? [.spam, .bounce, .report],
                junkFolders: try quiet.strings("junk_folders", .folder) ?? ["Junk", "Spam"],
                recipients: try quiet.strings("recipients", .recipient) ?? []),
            push: push.push,
            pushIsDisabledBecause: push.isDisabledBecause,
            deviceDefaults: push.deviceDefaults,
            dovecot: dovecot,
            metrics: Metrics(directory: try metrics.string("directory", .absolutePath)),
            retention: Retention(
                push: try retention.duration("push", in: .seconds(1)...days(3650)) ?? days(7)))
        for table in [spool, queue, quiet, metrics, retention, top] { try table.refuseUnknownKeys() }
        return configuration
    }
}

private func days(_ number: Int) -> Duration { .seconds(number * 86_400) }
