import Foundation
import Posix
import Spool
import TestSupport
import Testing

@testable import SpoolDrainCommand

struct SpoolDirectoryTests {
    private let fixture: DrainFixture
    private let spool: SpoolDirectory

    init() throws {
        fixture = try DrainFixture()
        spool = try SpoolDirectory(path: fixture.directory.file("spool"))
    }

    @Test("A temporary name is no entry; after ten times the hook's alarm it is removed")
    func temporaries() throws {
        try fixture.publish(".t-1")
        var young = try spool.list(now: WallTime.now.advanced(by: .seconds(45)))
        #expect(young.selection.inTurns().isEmpty)
        #expect(young.staleTemporaries == 0)
        let old = try spool.list(now: WallTime.now.advanced(by: .seconds(51)))
        #expect(old.staleTemporaries == 1)
        #expect(try fixture.names(in: "spool/new").isEmpty)
    }

    @Test("Names are bytes: one that is no text is listed, read, moved and removed like any other")
    func bytes() throws {
        let name = SpoolName(bytes: [0xFF, 0x0A, 0x5C, 0x41] + [UInt8](repeating: 0x62, count: 251))
        let path = Array(fixture.new("").utf8) + name.bytes + [0]
        let file = try #require(
            path.withUnsafeBytes { bytes in
                bytes.bindMemory(to: CChar.self).baseAddress.map { open($0, O_CREAT | O_WRONLY, 0o640) }
            })
        close(file)
        var listing = try spool.list(now: .now)
        #expect(listing.selection.inTurns() == [name])
        let entry = DamagedEntry(name: name, owner: geteuid(), damage: .truncated)
        #expect(spool.setAside([entry], now: .now).moved == 1)
        #expect(try fixture.reasons().first?.contains(" \\xff\\x0a\\x5cAbbb") == true)
        #expect(try fixture.names(in: "spool/new").isEmpty)
    }

    @Test("What has vanished counts as removed, and reading it leaves no trace")
    func vanished() throws {
        #expect(spool.unlink([name("gone")]).gone == 1)
        let read = EntryReader(judge: EntryJudge(trusted: [])).read([name("gone")], in: spool, now: .now)
        #expect(read.notices.isEmpty && read.damaged.isEmpty && read.unfinished == 0 && read.trouble == nil)
    }

    @Test("A file with a lease is passed over without waiting for its holder")
    func lease() throws {
        try fixture.publish("leased")
        let file = open(fixture.new("leased"), O_RDWR)
        defer { close(file) }
        signal(SIGIO, SIG_IGN)
        try #require(fcntl(file, 1024, F_WRLCK) == 0)  // F_SETLEASE
        let read = EntryReader(judge: EntryJudge(trusted: [])).read([name("leased")], in: spool, now: .now)
        #expect(read.unfinished == 1)
    }

    @Test("The reasons never outgrow their bound: the older half goes")
    func reasonsBound() throws {
        let line = String(repeating: "x", count: 63) + "\n"
        let path = "spool/corrupt/reasons.log"
        try fixture.directory.write(path, String(repeating: line, count: ReasonsLog.maximumBytes / 64))
        try fixture.publish("a", "x\n")
        let entry = DamagedEntry(name: name("a"), owner: 1000, damage: .badJSON)
        #expect(spool.setAside([entry], now: .now).moved == 1)
        let reasons = try fixture.reasons()
        #expect(reasons.last?.hasSuffix(" a uid=1000 bad_json") == true)
        #expect(reasons.first == String(line.dropLast()))
        #expect((reasons.count - 1) * 64 <= ReasonsLog.maximumBytes / 2)
    }
}
