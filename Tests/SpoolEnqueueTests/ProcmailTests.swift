import Foundation
import Spool
import TestSupport
import Testing

@Suite("Under real procmail")
struct ProcmailTests {
    private let hook: Hook
    private var home: String { hook.directory.file("home") }

    init() throws {
        hook = try Hook()
        for box in ["new", "cur", "tmp"] {
            try FileManager.default.createDirectory(
                atPath: "\(home)/Maildir/\(box)", withIntermediateDirectories: true)
        }
    }

    /// Delivers one mail by these recipes, with a TRAP.
    private func deliver(default mailbox: String, _ recipes: String, exit: Int32 = 0) throws {
        let options = #"--maildir "$DEFAULT" --exit "$EXITCODE" --filed "$LASTFOLDER" "alice""#
        let rc = """
            MAILDIR=\(home)
            DEFAULT=\(mailbox)
            LOGFILE=\(hook.log)
            TRAP='\(hook.program) --spool "\(hook.spool)" \(options)'
            \(recipes)

            """
        try hook.directory.write("home/rc", rc)
        let result = try RunningProgram.run(
            "/usr/bin/procmail", ["-m", hook.directory.file("home/rc")], input: Hook.mail)
        #expect(result.ending == .exited(exit))
    }

    private func entries() throws -> [SpoolEntry] {
        try FileManager.default.contentsOfDirectory(atPath: hook.new).map { name in
            try SpoolEntry.decode(
                Array(FileManager.default.contents(atPath: "\(hook.new)/\(name)") ?? Data()))
        }
    }

    private static let filed: [(mailbox: String, recipes: String, folder: String)] = [
        ("$MAILDIR/Maildir/", "", "INBOX"),
        ("$MAILDIR/.maildir/", "", "INBOX"),
        ("Maildir/", ":0\nMaildir/.Lists/", "Lists"),
        ("$MAILDIR/Maildir/", ":0\n\"Maildir/.My Lists/\"", "My Lists"),
        ("$MAILDIR/Maildir/", ":0\n$MAILDIR/Maildir/.Entw&APw-rfe/", "Entwürfe"),
        ("$MAILDIR/Maildir/", ":0 c\nMaildir/.Copy/", "INBOX"),
        ("$MAILDIR/Maildir/", ":0\nMaildir/ \"Maildir/.My Copy/\"", "INBOX"),
        ("$MAILDIR/Maildir/", ":0\nbackup/ \"Maildir/.My Copy/\"", "My Copy"),
        ("$MAILDIR/mbox", "", "INBOX"),
    ]

    @Test("A mail rings once, for the folder it went into", arguments: filed)
    func ringing(mailbox: String, recipes: String, folder: String) throws {
        try deliver(default: mailbox, recipes)
        let entries = try entries()
        #expect(entries.map { String(decoding: $0.folder, as: UTF8.self) } == [folder])
        #expect(entries.first?.messageID == Array("<secret-id@sender.example>".utf8))
    }

    private static let unfiled: [(recipes: String, exit: Int32)] = [
        (":0\n| cat >/dev/null", 0), (":0\n/dev/null", 0), (":0\nelsewhere/", 0), (":0\nmh/.", 0),
        (":0\nmbox", 0),
        ("EXITCODE=75\nHOST", 75),
    ]

    @Test("A mail that went elsewhere or nowhere rings for nothing", arguments: unfiled)
    func silent(recipes: String, exit: Int32) throws {
        try deliver(default: "$MAILDIR/Maildir/", recipes, exit: exit)
        #expect(try entries().isEmpty)
        #expect(!hook.lines(of: hook.log).contains { $0.contains("spool-enqueue:") })
    }

    @Test("A line of complaint stands in procmail's log, and the mail is delivered")
    func complaint() throws {
        try FileManager.default.removeItem(atPath: hook.new)
        try deliver(default: "$MAILDIR/Maildir/", "")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(home)/Maildir/new").count == 1)
        let cause = "cannot open this directory: No such file or directory"
        let line =
            "spool-enqueue: \(hook.new): \(cause); this mail does not ring; make directories sets it right"
        #expect(hook.lines(of: hook.log).contains(line))
    }
}
