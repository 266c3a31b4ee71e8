import Foundation
import Spool
import TestSupport
import Testing

@Suite("procmail's TRAP")
struct TrapTests {
    private let hook: Hook
    private var home: String { hook.directory.file("home") }

    /// A home with a Maildir, one that begins with a dot, an mbox, an MH folder and somebody else's Maildir.
    init() throws {
        hook = try Hook()
        let folders = [
            "Maildir", "Maildir/.My Lists.A b", "Maildir/.Entw&APw-rfe", "Maildir/Nested/Deeper", ".maildir",
            ".maildir/.Sub", "backup",
        ]
        for folder in folders {
            for box in ["new", "cur", "tmp"] {
                try FileManager.default.createDirectory(
                    atPath: "\(home)/\(folder)/\(box)", withIntermediateDirectories: true)
            }
            try hook.directory.write("home/\(folder)/new/1.M2P3.host", "mail")
        }
        try hook.directory.write("home/Maildir/cur/1790000000.5_0.host:2,S", "mail")
        try hook.directory.write("home/Maildir/.My Lists.A b/cur/1790000000.5_0.a.host", "mail")
        try hook.directory.write("home/mbox", "mail")
        try hook.directory.write("home/other-mbox", "mail")
        symlink("Maildir", "\(home)/linked")
    }

    private func run(_ maildir: String, _ exit: String, _ filed: String, _ more: [String] = []) throws
        -> Hook.Outcome
    {
        let path = { (path: String) in path.replacing("~", with: home) }
        return try hook.run(
            ["--maildir", path(maildir), "--exit", exit, "--filed", path(filed), "alice"] + more, in: home)
    }

    private static let filed: [(maildir: String, filed: String, folder: String, file: String?)] = [
        ("~/Maildir/", "~/Maildir/new/1.M2P3.host", "INBOX", "1.M2P3.host"),
        ("~/Maildir", "~/Maildir/new/1.M2P3.host", "INBOX", "1.M2P3.host"),
        ("~/Maildir//", "~/Maildir//new/1.M2P3.host", "INBOX", "1.M2P3.host"),
        ("~/Maildir/", "~/Maildir/.My Lists.A b/new/1.M2P3.host", "My Lists.A b", "1.M2P3.host"),
        ("~/Maildir/", "~/Maildir/.Entw&APw-rfe/new/1.M2P3.host", "Entwürfe", "1.M2P3.host"),
        ("~/Maildir/", "~/Maildir/Nested/Deeper/new/1.M2P3.host", "Nested/Deeper", "1.M2P3.host"),
        // From the working directory, which is procmail's MAILDIR.
        ("~/Maildir/", "Maildir/new/1.M2P3.host", "INBOX", "1.M2P3.host"),
        ("~/Maildir/", "./Maildir/.My Lists.A b/new/1.M2P3.host", "My Lists.A b", "1.M2P3.host"),
        ("Maildir/", "Maildir/new/1.M2P3.host", "INBOX", "1.M2P3.host"),
        // By a symbolic link.
        ("~/linked/", "~/Maildir/new/1.M2P3.host", "INBOX", "1.M2P3.host"),
        ("~/Maildir/", "~/linked/.My Lists.A b/new/1.M2P3.host", "My Lists.A b", "1.M2P3.host"),
        // A Maildir whose own name begins with a dot.
        ("~/.maildir/", "~/.maildir/new/1.M2P3.host", "INBOX", "1.M2P3.host"),
        ("~/.maildir/", "~/.maildir/.Sub/new/1.M2P3.host", "Sub", "1.M2P3.host"),
        // A server was faster and has moved it to cur/, and somebody has read it.
        ("~/Maildir/", "~/Maildir/new/1790000000.5_0.host", "INBOX", "1790000000.5_0.host"),
        (
            "~/Maildir/", "~/Maildir/.My Lists.A b/new/1790000000.5_0.a.host", "My Lists.A b",
            "1790000000.5_0.a.host"
        ),
        // One recipe with two folders.
        (
            "~/Maildir/", "Maildir/.My Lists.A b/new/1.M2P3.host Maildir/new/1.M2P3.host", "My Lists.A b",
            "1.M2P3.host"
        ),
        ("~/Maildir/", "backup/new/1.M2P3.host Maildir/new/1.M2P3.host", "INBOX", "1.M2P3.host"),
        ("~/mbox", "~/mbox", "INBOX", nil),
        ("~/mbox", "mbox", "INBOX", nil),
    ]

    @Test("A filed mail rings for the folder it was filed into", arguments: filed)
    func ringing(maildir: String, filed: String, folder: String, file: String?) throws {
        let outcome = try run(maildir, "0", filed)
        #expect(outcome.ending == .exited(0))
        #expect(outcome.log == [])
        #expect(outcome.entries.count == 1)
        let entry = try SpoolEntry.decode(Array(try #require(outcome.entries.first).utf8))
        #expect(String(decoding: entry.folder, as: UTF8.self) == folder)
        #expect(entry.filed.map { String(decoding: $0, as: UTF8.self) } == file)
        #expect(entry.messageID == Array("<secret-id@sender.example>".utf8))
    }

    private static let unfiled: [(maildir: String, exit: String, filed: String)] = [
        // A bail-out, no folder writable, an EXITCODE that somebody set or emptied.
        ("~/Maildir/", "75", ""), ("~/Maildir/", "73", "~/Maildir/new/9.M9.host"),
        ("~/Maildir/", "75", "~/Maildir/new/1.M2P3.host"), ("~/Maildir/", "", "~/Maildir/new/1.M2P3.host"),
        ("~/Maildir/", "00", "~/Maildir/new/1.M2P3.host"),
        // Nothing was filed, or nowhere that a server looks.
        ("~/Maildir/", "0", ""), ("~/Maildir/", "0", "/dev/null"), ("~/Maildir/", "0", "/nonexistent"),
        ("~/Maildir/", "0", "~/Maildir/new/9.M9.host"), ("~/Maildir/", "0", "~/Maildir/new"),
        ("~/Maildir/", "0", "~/Maildir/new/."), ("~/Maildir/", "0", " cat >/dev/null"),
        ("~/Maildir/", "0", "cp ~/Maildir/new/1.M2P3.host"), ("~/Maildir/", "0", "~/backup/new/1.M2P3.host"),
        ("~/Maildir/", "0", "~/backup/new/1790000000.5_0.host"),
        ("~/Maildir/", "0", "~/Maildir/.None/new/1790000000.5_0.host"),
        ("~/Maildir/", "0", "~/Maildir/new/1790000000.6_0.host"),
        ("~/Maildir/", "0", "~/Maildir/new/1790000000.5_0.hos"),
        ("~/Maildir/", "0", "cp ~/Maildir/new/1790000000.5_0.host"),
        ("~/Maildir/", "0", "~/mbox"), ("~/mbox", "0", "~/other-mbox"),
        ("~/mbox", "0", "~/Maildir/new/1.M2P3.host"),
        ("/nonexistent", "0", "~/Maildir/new/1.M2P3.host"), ("", "0", "~/Maildir/new/1.M2P3.host"),
        ("/dev/null", "0", "/dev/null"), ("~/Maildir/", "0", "~/Maildir"),
    ]

    @Test("What wasn't filed rings for nothing, and nothing is said", arguments: unfiled)
    func silent(maildir: String, exit: String, filed: String) throws {
        for option in [[], ["--strict"]] {
            let outcome = try run(maildir, exit, filed, option)
            #expect(outcome.ending == .exited(0))
            #expect(outcome.log == [])
            #expect(outcome.entries == [])
        }
    }

    @Test("A FOLDER that is given replaces the name, not the question whether to ring")
    func givenFolder() throws {
        let named = try run("~/Maildir/", "0", "~/Maildir/new/1.M2P3.host", ["INBOX.Other"])
        #expect(named.entries.first?.contains(#""folder":"INBOX.Other""#) == true)
        #expect(try run("~/Maildir/", "75", "", ["INBOX.Other"]).entries.count == 1)
    }

    @Test("A folder whose name no entry can tell is refused with a line")
    func untellableFolder() throws {
        try FileManager.default.createDirectory(
            atPath: "\(home)/Maildir/.a\nb/new", withIntermediateDirectories: true)
        try hook.directory.write("home/Maildir/.a\nb/new/1", "mail")
        let outcome = try run("~/Maildir/", "0", "~/Maildir/.a\nb/new/1")
        #expect(outcome.ending == .exited(0))
        #expect(outcome.entries == [])
        #expect(outcome.log.count == 1)
    }
}
