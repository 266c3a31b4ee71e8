import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("A wake names the folder and uid under which Dovecot has the mail", Requires.root)
struct ResolutionOfMailTests {
    private let site: Site
    private let dovecot: DovecotServer

    init() throws {
        site = try Site(inVillage: true)
        dovecot = try DovecotServer(at: site, including: ["dovecot/lua.conf", "dovecot/master-user.conf"])
    }

    /// A folder, and how it is called in a Maildir.
    private static let folders = [
        ("INBOX", ""), ("Lists", ".Lists"), ("Lists.Swift Users", ".Lists.Swift Users"),
        ("Entwürfe", ".Entw&APw-rfe"), ("🔔 & co", ".&2D3dFA- &- co"),
    ]

    /// The ways by which a mail comes.
    private enum Way: CaseIterable {
        case copy, trap, lua
    }

    private func deliver(_ mail: Mail = Mail(), to person: Person? = nil, into number: Int = 0, by way: Way)
        throws
    {
        let person = person ?? site.recipient
        let (folder, directory) = Self.folders[number]
        let filing = directory.isEmpty ? "" : ":0\n\"$HOME/Maildir/\(directory)/\"\n"
        let result: RunningProgram.Result
        switch way {
        case .copy:
            let hook = "\(site.hook) --spool \"\(site.spoolDirectory)\" \"$LOGNAME\" \"\(folder)\""
            result = try site.deliver(mail, to: person, rc: ":0c\n| \(hook)\n" + filing)
        case .trap: result = try site.deliver(mail, to: person, rc: site.including("trap") + filing)
        case .lua: result = try dovecot.lda(mail.text, as: person, folder: folder)
        }
        guard result.ending == .exited(0) else { throw Site.Trouble(description: result.errors) }
    }

    private func start() throws {
        try site.startDrain()
        try site.startDispatch()
    }

    /// The pushes, once there are so many.
    private func pushes(_ count: Int, within seconds: Double = 60) throws -> [MailPlaces.Push] {
        try site.apple.waitForRequests(count, within: seconds)
        return try MailPlaces(site: site).pushes()
    }

    @Test(
        "200 mails into 5 folders of 3 users, by carbon copy, TRAP and Lua: each push names the mail, and none is unknown"
    )
    func allWays() throws {
        try site.ask(imap: dovecot.imapPort, bound: "10s")
        let village = try #require(site.village)
        let people = [village.ana, village.ben, village.cem]
        for (person, digits) in zip(people, ["a1", "b2", "c3"]) {
            try site.addDevice(digits, user: person.name)
        }
        try site.startDrain()
        let dispatch = try site.startDispatch()
        let troubles = concurrently(people.count) { place in
            // A device hears of a folder 20 times at once: these are 14.
            for number in stride(from: place, to: 200, by: people.count) {
                let turn = number / people.count
                try deliver(to: people[place], into: turn % Self.folders.count, by: Way.allCases[turn % 3])
            }
        }
        #expect(troubles.isEmpty)
        let pushes = try pushes(200)
        #expect(Set(pushes.map(\.messageID)).count == 200)
        #expect(pushes.filter { $0.uid == 0 }.map(\.folder) == [])
        #expect(try MailPlaces(site: site).wrong(pushes, from: dovecot).isEmpty)
        #expect(Set(pushes.map { "\($0.user) \($0.folder) \($0.uid)" }).count == 200)
        #expect(site.apple.requests.count == 200)
        let secrets = pushes.map(\.messageID) + ["of doorbell"]
        #expect(!secrets.contains { dispatch.errors.contains($0) })
    }

    private func concurrently(_ count: Int, _ body: @Sendable (Int) throws -> Void) -> [String] {
        let troubles = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: count) { place in
            do { try body(place) } catch { troubles.withLock { $0.append("\(error)") } }
        }
        return troubles.withLock { $0 }
    }

    @Test("doveadm tells as much, and without a Message-ID the file's name does", arguments: [true, false])
    func doveadm(hasMessageID: Bool) throws {
        try site.ask(doveadm: dovecot.doveadmPort, bound: "10s")
        try site.addDevice("a1")
        try start()
        for number in Self.folders.indices {
            let mail = Mail()
            let text = hasMessageID ? mail.text : mail.text.replacing("Message-ID", with: "X-Id")
            let filing = number == 0 ? "" : ":0\n\"$HOME/Maildir/\(Self.folders[number].1)/\"\n"
            try #require(
                try site.deliver(text: text, rc: site.including("trap") + filing).ending == .exited(0))
        }
        let pushes = try pushes(Self.folders.count)
        #expect(pushes.map(\.uid) == [1, 1, 1, 1, 1])
        #expect(Set(pushes.map(\.folder)) == Set(Self.folders.map(\.0)))
        if hasMessageID { #expect(try MailPlaces(site: site).wrong(pushes, from: dovecot).isEmpty) }
    }

    @Test(
        "Dovecot stopped or hung: mail and pushes go on within the bound of 500 ms, and uids come back with it",
        arguments: [true, false])
    func ailing(isStopped: Bool) throws {
        try site.ask(imap: dovecot.imapPort, doveadm: dovecot.doveadmPort)
        try site.addDevice("a1")
        try start()
        if isStopped { try dovecot.stop() } else { try dovecot.hang() }
        for count in 1...3 {
            let start = ContinuousClock.now
            try deliver(by: .trap)
            #expect(ContinuousClock.now - start < .seconds(5))
            #expect(try pushes(count).last?.uid == 0)
            // The bound, and what a busy machine takes for the rest.
            #expect(ContinuousClock.now - start < .seconds(5))
        }
        let status = try site.doorbell("status").output
        #expect(status.contains("uids         imap 127.0.0.1:\(dovecot.imapPort): not asked since "))
        #expect(status.contains("Connection refused; is Dovecot running?\n") == isStopped)
        if isStopped { try dovecot.start() } else { try dovecot.goOn() }
        // Each mail may be the question that finds out.
        var count = 3
        var last: MailPlaces.Push?
        while last?.uid ?? 0 == 0, count < 80 {
            try deliver(into: count % Self.folders.count, by: .trap)
            count += 1
            last = try pushes(count).last
        }
        let found = try #require(last)
        #expect(found.uid != 0)
        #expect(try MailPlaces(site: site).wrong([found], from: dovecot).isEmpty)
        #expect(try site.longestResolution() <= 1)
    }

    @Test("A slow Dovecot is waited for within the bound only", arguments: [(0.01, true), (0.15, false)])
    func slow(seconds: Double, isInTime: Bool) throws {
        let slow = try site.start([
            "/usr/bin/python3", "-B", dovecot.peer("slow.py"), "\(dovecot.imapPort)", "\(seconds)",
        ])
        let port = try slow.waitForLine("a port") { Int($0) }
        try site.ask(imap: port, bound: isInTime ? "10s" : nil)
        try site.addDevice("a1")
        try start()
        for count in 1...3 {
            try deliver(by: .trap)
            let push = try #require(try pushes(count).last)
            #expect((push.uid == count) == isInTime)
        }
    }

    @Test("In a mailbox that was made anew no mail's wake takes the place of an old one's")
    func recreated() throws {
        try site.ask(imap: dovecot.imapPort, bound: "10s")
        try site.addDevice("a1")
        try start()
        for count in 1...2 {
            try deliver(into: 1, by: .trap)
            let push = try #require(try pushes(count).last)
            #expect(push.uid == 1)
            #expect(try MailPlaces(site: site).wrong([push], from: dovecot).isEmpty)
            if count == 1 {
                try dovecot.doveadm(["mailbox", "delete", "-u", site.recipient.name, "Lists"])
            }
        }
        let both = try pushes(2)
        #expect(both[0].uidValidity != both[1].uidValidity)
        #expect(both[0].collapseID == "Lists:1")
        #expect(both[1].collapseID.count == 32)
    }

    @Test("A password that others can read, and one that isn't there, are refused with file, line and key")
    func exposedPassword() throws {
        try site.ask(imap: dovecot.imapPort)
        let file = site.directory.file("etc/doorbell/dovecot.password")
        for (change, fault) in [("chmod 0440", "can be read by others"), ("rm", "No such file")] {
            try site.run(["/bin/sh", "-ec", "\(change) \(file)"])
            let dispatch = try site.launch("dispatch", as: site.dispatchUser)
            #expect(try dispatch.waitForEnd() == .exited(78))
            #expect(
                dispatch.errors.contains("dovecot.password_file: \(file): \(fault)"), "\(dispatch.errors)")
        }
    }
}
