import Foundation
import JSON
import TestSupport

extension Site {
    /// Where a shipped file is installed.
    func shipped(_ path: String) -> String { directory.file("usr/share/doorbell/\(path)") }

    /// Adds the users, each with a group of its name, that a mail program's own processes run as.
    func addServiceUsers(_ names: String...) throws {
        let numbered = zip(names, 20_121...)
        let users = numbered.map { "\($0):x:\($1):\($1)::/nonexistent:/bin/false\n" }
        let groups = numbered.map { "\($0):x:\($1):\n" }
        for (file, lines) in [("etc/passwd", users), ("etc/group", groups)] {
            let known = try String(contentsOfFile: directory.file(file), encoding: .utf8)
            try directory.write(file, known + lines.joined())
        }
    }

    /// Writes a file as its owner would, such as `.forward`.
    func writeHomeFile(_ name: String, _ text: String, of person: Person) throws {
        let path = "\(person.home)/\(name)"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, 0o600)
        chown(path, person.uid, person.gid)
    }

    /// How often a mail is filed in a person's Maildir, in whatever folder.
    func copies(of mail: Mail, with person: Person) throws -> Int {
        let maildir = person.home + "/Maildir"
        return try FileManager.default.subpathsOfDirectory(atPath: maildir).count { path in
            let folder = path.split(separator: "/").dropLast().last
            guard folder == "new" || folder == "cur" else { return false }
            return try String(contentsOfFile: "\(maildir)/\(path)", encoding: .utf8).contains(
                "<\(mail.messageID)>")
        }
    }

    /// An entry that waits in the spool.
    struct WaitingEntry {
        let name: String
        let owner: UInt32?
        let mode: Int?
        let content: JSONValue
    }

    /// The entries in the spool, in the order of their names.
    func waitingEntries() throws -> [WaitingEntry] {
        let new = (disk?.path(spoolDirectory) ?? spoolDirectory) + "/new"
        return try FileManager.default.contentsOfDirectory(atPath: new).sorted().map { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(new)/\(name)")
            let content = try Data(contentsOf: URL(fileURLWithPath: "\(new)/\(name)"))
            return WaitingEntry(
                name: name, owner: attributes[.ownerAccountID] as? UInt32,
                mode: attributes[.posixPermissions] as? Int, content: try JSONParser.parse(Array(content)))
        }
    }

    /// Has the drain take what waits, and tells whether it took all of it.
    func drainTakesAll() throws -> Bool {
        let drain = [directory.file("usr/sbin/spool-drain"), "--config", configuration, "--once"]
        guard try run(drain, as: drainUser).ending == .exited(0) else { return false }
        let left = try ["new", "corrupt"].map {
            try FileManager.default.contentsOfDirectory(atPath: "\(spoolDirectory)/\($0)")
        }
        return left == [[], []]
    }
}
