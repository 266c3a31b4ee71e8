import Spool
import Testing

@Suite("The folder where procmail filed a mail")
struct MaildirFolderTests {
    /// Asks for the folder in a world with these files, whose Maildir is at these directories.
    private func folder(
        _ lastFolder: String, files: [String]? = nil, moved: String? = nil,
        maildir: [String] = ["/home/a/Maildir/."]
    ) -> MaildirFolder? {
        let files = files ?? [lastFolder]
        return MaildirFolder(
            lastFolder: Array(lastFolder.utf8),
            isFile: { files.contains(String(decoding: $0, as: UTF8.self)) },
            holds: { directory, name in
                moved == String(decoding: directory + Array("/".utf8) + name, as: UTF8.self)
            },
            isMaildir: { maildir.contains(String(decoding: $0, as: UTF8.self).replacing("//", with: "/")) })
    }

    private func name(_ folder: MaildirFolder?) -> String? {
        folder.map { String(decoding: $0.name, as: UTF8.self) }
    }

    private static let folders: [(lastFolder: String, name: String)] = [
        ("/home/a/Maildir/new/1.M2.host", "INBOX"),
        ("/home/a/Maildir/cur/1.M2.host:2,S", "INBOX"),
        ("/home/a/Maildir/.Lists/new/1", "Lists"),
        ("/home/a/Maildir/.Lists.Swift/new/1", "Lists.Swift"),
        ("/home/a/Maildir/.My Lists.A b/new/1", "My Lists.A b"),
        ("/home/a/Maildir/.Entw&APw-rfe/new/1", "Entwürfe"),
        ("/home/a/Maildir/.A &- B/new/1", "A & B"),
        ("/home/a/Maildir//.Lists//new/1", "Lists"),
        // Folders in folders.
        ("/home/a/Maildir/Lists/new/1", "Lists"),
        ("/home/a/Maildir/Lists/Entw&APw-rfe/new/1", "Lists/Entwürfe"),
        // What isn't modified UTF-7 stays.
        ("/home/a/Maildir/.Entwürfe/new/1", "Entwürfe"),
        ("/home/a/Maildir/.A & B/new/1", "A & B"),
    ]

    @Test("A file in new/ or cur/ tells its folder", arguments: folders)
    func folder(lastFolder: String, expected: String) {
        #expect(name(folder(lastFolder)) == expected)
    }

    @Test("The base name is the file's, without flags")
    func baseName() {
        #expect(folder("/home/a/Maildir/cur/1.M2.host:2,S")?.filed == Array("1.M2.host".utf8))
    }

    @Test(
        "Nothing rings for what isn't a file in the Maildir",
        arguments: [
            "", " ", "/", "new", "new/", "/home/a/Maildir", "/home/a/Maildir/new", "/home/a/Maildir/new/",
            "/home/a/Maildir/tmp/1", "/home/a/Maildir/1", "/home/a/mbox", "/dev/null", "/nonexistent",
            "/home/a/mh/12", "/home/a/Mail/new/1", "/home/b/Maildir/new/1", "/home/a/Maildir/../new/1",
            "/new/1", "new/1", " cat >/dev/null", "/usr/bin/vacation alice",
        ])
    func elsewhere(lastFolder: String) {
        #expect(folder(lastFolder) == nil)
    }

    @Test("A path that doesn't exist rings for nothing")
    func missing() {
        #expect(folder("/home/a/Maildir/new/1", files: []) == nil)
    }

    /// Asks for a mail filed into A that a server has moved to this folder's cur/ since.
    private func moved(_ file: String, to folder: String = ".A") -> MaildirFolder? {
        self.folder(
            "/home/a/Maildir/.A/new/\(file)", files: [],
            moved: "/home/a/Maildir/\(folder)/cur/\(file.prefix { $0 != ":" })")
    }

    @Test(
        "A file that a server has moved to cur/ at once is known by its base name",
        arguments: ["1790000000.12_0.host", "1790000000.M1P2.mail.example", "17900000000.1.h:2,S"])
    func moved(file: String) {
        #expect(name(moved(file)) == "A")
        #expect(moved(file)?.filed == Array(file.prefix { $0 != ":" }.utf8))
        #expect(moved(file, to: ".B") == nil)
    }

    @Test(
        "A file that isn't where it was filed is looked for only by a name as deliveries make it",
        arguments: [
            "1", "179000000.1.host", "1790000000", "1790000000.1", "x790000000.1.host", "1790000000.1 2.host",
        ])
    func notUnique(file: String) {
        #expect(moved(file) == nil)
    }

    @Test(
        "A path from the working directory is followed from there",
        arguments: [
            ("new/1", ".", "INBOX"), ("./new/1", "./.", "INBOX"), (".Lists/new/1", ".", "Lists"),
            ("Maildir/.Lists/new/1", "Maildir/.", "Lists"), ("../.Lists/new/1", "../.", "Lists"),
        ])
    func relative(lastFolder: String, maildir: String, expected: String) {
        #expect(name(folder(lastFolder, maildir: [maildir])) == expected)
    }

    @Test("A root Maildir is found")
    func rootDirectory() {
        #expect(name(folder("/.A/new/1", maildir: ["/."])) == "A")
    }

    @Test("A dot at the start of the Maildir's own name means nothing")
    func hiddenMaildir() {
        let maildir = ["/home/a/.maildir/."]
        #expect(name(folder("/home/a/.maildir/new/1", maildir: maildir)) == "INBOX")
        #expect(name(folder("/home/a/.maildir/.A/new/1", maildir: maildir)) == "A")
    }

    private let twoCopies = "Maildir/.My Copy/new/1 a Maildir/new/2"

    @Test("Two folders named in one recipe ring for the first, spaces in its name or not")
    func twoFolders() {
        let files = ["Maildir/.My Copy/new/1 a", "Maildir/new/2"]
        #expect(name(folder(twoCopies, files: files, maildir: ["Maildir/."])) == "My Copy")
    }

    @Test("Of two folders the one in the Maildir rings")
    func oneOfTwo() {
        let list = "backup/new/1 Maildir/.A/new/2"
        let files = ["backup/new/1", "Maildir/.A/new/2"]
        #expect(name(folder(list, files: files, maildir: ["Maildir/."])) == "A")
    }

    @Test("A pipe whose command line ends in a mail's path rings for nothing")
    func pipe() {
        let files = ["/bin/cp", "/home/a/Maildir/new/1"]
        #expect(folder("/bin/cp /home/a/Maildir/new/1", files: files) == nil)
        #expect(folder(" cp /home/a/Maildir/new/1", files: files) == nil)
    }

    @Test("A long LASTFOLDER is bounded, and a deep folder too")
    func bounds() {
        let deep = { "/home/a/Maildir" + String(repeating: "/d", count: $0) + "/new/1" }
        #expect(folder(deep(16)) != nil)
        #expect(folder(deep(17)) == nil)
        let long = { "/home/a/Maildir/new/" + String(repeating: "x", count: $0) }
        #expect(folder(long(MaildirFolder.maximumLength - 20)) != nil)
        #expect(folder(long(MaildirFolder.maximumLength - 19)) == nil)
    }
}
