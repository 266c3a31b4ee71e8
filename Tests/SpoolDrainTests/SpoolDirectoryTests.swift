import Foundation
import Posix
import Settings
import Spool
import TestSupport
import Testing

@testable import SpoolDirectories
@testable import SpoolDrainCommand

struct SpoolDirectoryTests {
    private let fixture: DrainFixture
    private let spool: SpoolDirectory

    init() throws {
        fixture = try DrainFixture()
        spool = try SpoolDirectory(path: fixture.directory.file("spool"))
    }

    @Test("A temporary name is no entry; a minute after its writer began it is removed", arguments: [40, 60])
    func temporaries(age: Int) throws {
        try fixture.publish(".t-1")
        var listing = try spool.list(now: WallTime.now.advanced(by: .seconds(age)))
        #expect(listing.selection.inTurns().isEmpty)
        #expect(listing.staleTemporaries == (age == 60 ? 1 : 0))
        #expect(try fixture.names(in: "spool/new") == (age == 60 ? [] : [".t-1"]))
    }

    @Test("A directory with a temporary's name is an entry like any other once it is stale")
    func temporaryDirectory() throws {
        #expect(mkdir(fixture.new(".x"), 0o700) == 0)
        var listing = try spool.list(now: WallTime.now.advanced(by: .seconds(40)))
        #expect(listing.selection.inTurns().isEmpty)
        listing = try spool.list(now: WallTime.now.advanced(by: .seconds(60)))
        #expect(listing.selection.inTurns() == [name(".x")])
        #expect(listing.staleTemporaries == 0)
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
        #expect(spool.setAside([entry], now: .now).fates == [.moved])
        #expect(try fixture.reasons().first?.contains(" %FF%0A%5CAbbb") == true)
        #expect(try fixture.names(in: "spool/new").isEmpty)
    }

    @Test("What has vanished counts as removed, and reading it leaves no trace")
    func vanished() throws {
        #expect(spool.unlink([name("gone")]).gone == 1)
        var reader = EntryReader(judge: EntryJudge(trusted: [], quiet: QuietRule(.init())))
        let read = reader.read([name("gone")], in: spool, now: .now)
        #expect(read.notices.isEmpty && read.damaged.isEmpty && read.unfinished == 0 && read.trouble == nil)
    }

    @Test("A file with a lease is passed over without waiting for its holder")
    func lease() throws {
        try fixture.publish("leased")
        let file = open(fixture.new("leased"), O_RDWR)
        defer { close(file) }
        signal(SIGIO, SIG_IGN)
        try #require(fcntl(file, 1024, F_WRLCK) == 0)  // F_SETLEASE
        var reader = EntryReader(judge: EntryJudge(trusted: [], quiet: QuietRule(.init())))
        let read = reader.read([name("leased")], in: spool, now: .now)
        #expect(read.unfinished == 1)
    }

    @Test("An entry that vanished before it could be set aside leaves no trace")
    func vanishedDamage() throws {
        #expect(spool.setAside([damaged("gone")], now: .now).fates == [.vanished])
        #expect(try fixture.reasons().isEmpty)
    }

    @Test("What has changed since the last scan isn't passed over, whatever its name")
    func since() throws {
        for name in ["a", "b"] { try fixture.publish(name) }
        let passed = [getuid(): name("c")]
        for (age, count) in [(60, 2), (-60, 0)] {
            let lastScan = WallTime.now.advanced(by: .seconds(-age))
            var listing = try spool.list(now: .now, beyond: passed, since: lastScan)
            #expect(listing.selection.inTurns().count == count)
        }
    }

    @Test("Asked to stop, listing looks at no further name")
    func stopsListing() throws {
        for name in ["a", "b", "c"] { try fixture.publish(name) }
        var questions = 0
        func isStopping() -> Bool {
            questions += 1
            return questions > 1
        }
        var listing = try spool.list(now: .now, isStopping: isStopping())
        #expect(listing.selection.inTurns().count == 1)
    }

    @Test("Asked to stop, reading ends before the next entry")
    func stops() throws {
        for name in ["a", "b", "c"] { try fixture.publish(name, DrainFixture.entry(user: "no-such-user")) }
        var reader = EntryReader(judge: EntryJudge(trusted: [], quiet: QuietRule(.init())))
        var questions = 0
        func isStopping() -> Bool {
            questions += 1
            return questions == 2
        }
        let read = reader.read(
            [name("a"), name("b"), name("c")], in: spool, now: .now, isStopping: isStopping())
        #expect(read.damaged.map(\.name) == [name("a")])
        #expect(read.unfinished == 0)
    }

    @Test("While the reasons can't be opened, nothing is moved and nothing is given up")
    func reasonsClosed() throws {
        #expect(mkdir(fixture.directory.file("spool/corrupt/reasons.log"), 0o700) == 0)
        try fixture.publish("a", "x\n")
        try fixture.publish("b", "x\n")
        let result = spool.setAside([damaged("a"), damaged("b")], now: .now)
        #expect(result.fates == [.left, .left])
        #expect(result.trouble?.errno == .isADirectory)
        #expect(try fixture.names(in: "spool/new") == ["a", "b"])
    }

    @Test("Whatever names are taken in corrupt, an entry finds one of its own there")
    func takenNames() throws {
        try fixture.publish("a", "x\n")
        let inode = try spool.new.status(of: Array("a".utf8)).st_ino
        // The entry's own, and those that its number would give.
        for taken in ["a", "\(inode)a", "\(inode).a"] {
            try fixture.directory.write("spool/corrupt/\(taken)", "", mode: 0o640)
        }
        #expect(spool.setAside([damaged("a")], now: .now).fates == [.moved])
        #expect(try fixture.names(in: "spool/new").isEmpty)
        #expect(try fixture.corrupt().count == 4)
    }

    @Test("An entry whose reason can't be noted counts as moved, and the trouble is told", Requires.root)
    func reasonsFull() throws {
        // Like /dev/full: device 7 of major number 1.
        let path = fixture.directory.file("spool/corrupt/reasons.log")
        try #require(mknod(path, S_IFCHR | 0o600, 0x107) == 0)
        try fixture.publish("a", "x\n")
        let result = spool.setAside([damaged("a")], now: .now)
        #expect(result.fates == [.moved])
        #expect(result.trouble?.errno == .noSpace)
        #expect(try fixture.corrupt() == ["a"])
    }

    @Test("The reasons never outgrow their bound: the older half goes")
    func reasonsBound() throws {
        let line = String(repeating: "x", count: 63) + "\n"
        let path = "spool/corrupt/reasons.log"
        try fixture.directory.write(path, String(repeating: line, count: ReasonsLog.maximumBytes / 64))
        try fixture.publish("a", "x\n")
        let entry = DamagedEntry(name: name("a"), owner: 1000, damage: .badJSON)
        #expect(spool.setAside([entry], now: .now).fates == [.moved])
        let reasons = try fixture.reasons()
        #expect(reasons.last?.hasSuffix(" a uid=1000 bad_json") == true)
        #expect(reasons.first == String(line.dropLast()))
        #expect((reasons.count - 1) * 64 <= ReasonsLog.maximumBytes / 2)
    }
}
