import Foundation
import TestSupport

/// A machine with users of its own, none of whom exists outside: its programs see another /etc and /var/mail.
///
/// Each program gets a mount namespace like that. No process stands between it and the test: whoever ends the process
/// ends the program.
struct Village: Sendable {
    /// Recipients of mail.
    let ana, ben, cem: Person
    /// The service users, made as the README says.
    let drain, dispatch: Person
    private let path: String

    private static let group: UInt32 = 20_100

    /// Makes /etc, /var/mail and the homes below a directory.
    init(in directory: TemporaryDirectory) throws {
        path = directory.path
        drain = Person(name: "doorbell-spool", uid: 20_101, gid: Self.group, home: "/nonexistent")
        dispatch = Person(name: "doorbell", uid: 20_102, gid: Self.group, home: "/nonexistent")
        ana = Person(name: "ana", uid: 20_111, gid: 20_111, home: directory.file("home/ana"))
        ben = Person(name: "ben", uid: 20_112, gid: 20_112, home: directory.file("home/ben"))
        cem = Person(name: "cem", uid: 20_113, gid: 20_113, home: directory.file("home/cem"))
        // The villagers have to get in.
        chmod(directory.path, 0o711)
        for folder in ["etc", "mail", "home", "home/ana", "home/ben", "home/cem"] {
            try FileManager.default.createDirectory(
                atPath: directory.file(folder), withIntermediateDirectories: false)
        }
        chmod(directory.file("mail"), 0o1777)
        for person in [ana, ben, cem] { chown(person.home, person.uid, person.gid) }
        let users = [drain, dispatch, ana, ben, cem].map {
            "\($0.name):x:\($0.uid):\($0.gid)::\($0.home):/bin/sh\n"
        }
        try directory.write("etc/passwd", "root:x:0:0::/root:/bin/sh\n" + users.joined())
        let groups = [
            "root:x:0:", "mail:x:8:", "doorbell:x:\(Self.group):", "ana:x:20111:", "ben:x:20112:",
            "cem:x:20113:", "",
        ]
        try directory.write("etc/group", groups.joined(separator: "\n"))
        try directory.write("etc/nsswitch.conf", "passwd: files\ngroup: files\n")
    }

    /// The command that runs another one in the village, as a person or, without one, as root.
    ///
    /// - Parameter process: one of the village whose namespace is shared; nil makes a new one.
    func command(_ command: [String], as person: Person?, beside process: Int32? = nil) -> [String] {
        let mounts = #"mount --bind "$0/etc" /etc; mount --bind "$0/mail" /var/mail; exec "$@""#
        let unshare = [
            "/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-ec", mounts, path,
        ]
        let folder = FileManager.default.currentDirectoryPath
        let enter =
            process.map { ["/usr/bin/nsenter", "--mount=/proc/\($0)/ns/mnt", "--wdns=\(folder)"] } ?? unshare
        guard let person else { return enter + command }
        return enter
            + ["/usr/bin/setpriv", "--reuid=\(person.uid)", "--regid=\(person.gid)", "--clear-groups"]
            + command
    }
}
