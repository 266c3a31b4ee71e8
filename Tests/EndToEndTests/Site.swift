import Foundation
import Synchronization
import TestSupport

/// Doorbell as `make install` leaves it, in a directory of its own, with Apple simulated.
final class Site: Sendable {
    /// Everything is below it.
    let directory: TemporaryDirectory
    /// Apple's place is taken by it.
    let apple: SimulatedApple
    /// The other users, where there are any.
    let village: Village?
    /// The file system of what programs write, where it is one of its own.
    let disk: Disk?
    /// Whose mail it is.
    let recipient: Person
    /// What runs until the site goes, at the latest.
    let daemons = Mutex<[RunningProgram]>([])

    /// Installs everything, for the users of a village or all for the caller; no daemon runs yet.
    ///
    /// - Parameters:
    ///   - disk: a file system to make, and which folder is on it; only in a village.
    ///   - spool: more keys of `[spool]`.
    ///   - queueKeys: more keys of `[queue]`.
    ///   - quiet: keys of `[quiet]`.
    ///   - push: the text of `[push]`; nil is what sends to the simulator.
    ///   - answers: rules of the simulator.
    init(
        inVillage: Bool = false, disk: (format: Disk.Format, folder: String)? = nil, spool: String = "",
        queue queueKeys: String = "", quiet: String = "", push: String? = nil,
        answers: [String] = []
    ) throws {
        directory = try TemporaryDirectory()
        apple = try SimulatedApple(in: directory, answers.flatMap { ["--answer", $0] })
        village = inVillage ? try Village(in: directory) : nil
        if let disk, let village {
            self.disk = try Disk(disk.format, as: directory.file(disk.folder), in: directory, village)
        } else {
            self.disk = nil
        }
        recipient = village?.ana ?? .caller(home: directory.file("home"))
        try furnishHomes()
        try install()
        try handOverKey()
        try directory.write(
            "etc/doorbell/doorbell.toml",
            """
            [spool]
            directory = "\(spoolDirectory)"
            \(spool)
            [queue]
            path = "\(queue)"
            \(queueKeys)
            \(push ?? pushSection)
            [metrics]
            directory = "\(directory.file("var/lib/doorbell-metrics"))"
            [quiet]
            \(quiet)
            """)
    }

    /// Ends the daemons before the directory goes, into which they write.
    deinit {
        for daemon in daemons.withLock({ $0 }) {
            daemon.send(SIGKILL)
            _ = try? daemon.waitForEnd()
        }
    }

    private func furnishHomes() throws {
        for person in village.map({ [$0.ana, $0.ben, $0.cem] }) ?? [recipient] {
            for folder in ["", "/Maildir", "/Maildir/tmp", "/Maildir/new", "/Maildir/cur"] {
                let path = person.home + folder
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                chown(path, person.uid, person.gid)
            }
        }
    }

    private func install() throws {
        let group = village == nil ? String(getegid()) : "doorbell"
        let made = try run([
            "/usr/bin/make", "--silent", "install", "directories", "RELEASE=\(BuiltProgram.releases)",
            "DESTDIR=", "PREFIX=\(directory.file("usr"))", "SYSCONFDIR=\(directory.file("etc"))",
            "LOCALSTATEDIR=\(directory.file("var"))", "SPOOL_USER=\(drainUser.name)",
            "DISPATCH_USER=\(dispatchUser.name)", "GROUP=\(group)",
        ])
        guard made.ending == .exited(0) else { throw Trouble(description: made.errors) }
    }

    private func handOverKey() throws {
        try FileManager.default.copyItem(atPath: apple.keyFile, toPath: keyFile)
        chmod(keyFile, 0o400)
        chown(keyFile, dispatchUser.uid, dispatchUser.gid)
        try FileManager.default.copyItem(atPath: apple.caFile, toPath: directory.file("etc/doorbell/ca.pem"))
    }

    private var pushSection: String {
        """
        [push]
        key_file = "\(keyFile)"
        key_id = "\(apple.keyID)"
        team_id = "\(apple.teamID)"
        topic = "com.example.Mail"
        """
    }

    /// The users of the daemons.
    var drainUser: Person { village?.drain ?? recipient }
    var dispatchUser: Person { village?.dispatch ?? recipient }

    var configuration: String { directory.file("etc/doorbell/doorbell.toml") }
    var keyFile: String { directory.file("etc/doorbell/apns.p8") }
    var spoolDirectory: String { directory.file("var/spool/doorbell") }
    var stateDirectory: String { directory.file("var/lib/doorbell") }
    var queue: String { stateDirectory + "/doorbell.db" }
    var hook: String { directory.file("usr/bin/spool-enqueue") }

    /// What a test can't go on after.
    struct Trouble: Error, CustomStringConvertible {
        let description: String
    }
}
