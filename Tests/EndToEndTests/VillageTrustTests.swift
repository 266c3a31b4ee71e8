import Foundation
import TestSupport
import Testing

@Suite("Three users trust each other no further than needed", Requires.root)
struct VillageTrustTests {
    private let site: Site

    init() throws { site = try Site(inVillage: true) }

    /// Has a recipient write an entry by hand, as any program of theirs may.
    private func write(_ entry: String, as person: Person) throws {
        let redirection = "umask 077; cat >'\(site.spoolDirectory)/new/by-hand'"
        let written = try site.run(["/bin/sh", "-c", redirection], as: person, input: entry + "\n")
        try #require(written.ending == .exited(0), "\(written.errors)")
    }

    @Test("The entry belongs to its recipient, and neither it nor a daemon belongs to root")
    func users() throws {
        try site.deliver(rc: site.including("trap"))
        let new = site.spoolDirectory + "/new"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: new).first)
        let entry = try FileManager.default.attributesOfItem(atPath: "\(new)/\(name)")
        #expect(entry[.ownerAccountID] as? UInt32 == site.recipient.uid)
        #expect(entry[.groupOwnerAccountID] as? UInt32 == site.drainUser.gid)
        #expect(entry[.posixPermissions] as? Int == 0o640)

        #expect(try uids(of: try site.startDrain()) == Set([site.drainUser.uid]))
        #expect(try uids(of: try site.startDispatch()) == Set([site.dispatchUser.uid]))
    }

    /// Real, effective, saved and file system uid of a process.
    private func uids(of program: RunningProgram) throws -> Set<UInt32> {
        let status = try String(contentsOfFile: "/proc/\(program.processIdentifier)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Uid:") })
        return Set(line.split(separator: "\t").compactMap { UInt32($0) })
    }

    @Test("An entry that names another account goes to corrupt/ and rings nobody")
    func foreignAccount() throws {
        let village = try #require(site.village)
        try site.addDevice("a1", user: village.ana.name)
        try site.addDevice("b1", user: village.ben.name)
        let drain = try site.startDrain()
        let dispatch = try site.startDispatch()
        // As new as any, so that its age is no reason for silence.
        let now = Int(Date().timeIntervalSince1970 * 1000)
        try write(
            #"{"v":1,"user":"ben","folder":"INBOX","uid":0,"msg_id":"","at":\#(now)}"#, as: village.ana)
        try drain.waitForLine(containing: "1 entry moved to")

        let corrupt = site.spoolDirectory + "/corrupt"
        #expect(FileManager.default.fileExists(atPath: corrupt + "/by-hand"))
        let reasons = try String(contentsOfFile: corrupt + "/reasons.log", encoding: .utf8)
        #expect(reasons.contains("uid=\(village.ana.uid) wrong_owner"))

        // What comes later has overtaken nothing: rows go out in their order.
        try site.deliver(rc: site.including("trap"))
        try dispatch.waitForLine(containing: ": sent, accepted")
        #expect(try site.apple.waitForRequests(1).map { $0.deviceToken.prefix(2) } == ["a1"])
    }

    @Test("An entry of one's own, written by hand with umask 077, rings: the default access list opens it")
    func ownAccount() throws {
        try site.addDevice("a1")
        try site.startDrain()
        try site.startDispatch()
        let now = Int(Date().timeIntervalSince1970 * 1000)
        try write(
            #"{"v":1,"user":"ana","folder":"INBOX","uid":7,"msg_id":"","at":\#(now)}"#, as: site.recipient)
        #expect(try site.apple.waitForRequests(1)[0].header("apns-collapse-id") == "INBOX:7")
    }

    @Test(
        "The drain's user can read neither the signing key nor that of the device tokens, which dispatch's user can",
        arguments: ["etc/doorbell/apns.p8", "var/lib/doorbell/doorbell.key"])
    func keys(_ file: String) throws {
        try site.addDevice("a1")
        let key = site.directory.file(file)
        let read = try site.run(["/bin/cat", key], as: site.drainUser)
        #expect(read.ending == .exited(1))
        #expect(read.output == "")
        #expect(read.errors.contains("Permission denied"))
        #expect(try site.run(["/bin/cat", key], as: site.dispatchUser).ending == .exited(0))
    }

    @Test("No file that the daemons leave tells a device token, but for its beginning")
    func tokensAtRest() throws {
        try site.addDevice("a1")
        try site.startDrain()
        let dispatch = try site.startDispatch()
        try site.deliver(rc: site.including("trap"))
        try dispatch.waitForLine(containing: ": sent, accepted")
        #expect(try site.apple.waitForRequests(1)[0].deviceToken == String(repeating: "a1", count: 32))
        let files = try site.run(["/usr/bin/find", site.directory.file("var"), "-type", "f"]).output
        #expect(files.contains("doorbell.db-wal\n"))
        for file in files.split(separator: "\n") where !file.hasSuffix("/doorbell.key") {
            let data = try Data(contentsOf: URL(fileURLWithPath: String(file)))
            for token in [Data(repeating: 0xA1, count: 5), Data("a1a1a1a1a1".utf8)] {
                #expect(data.range(of: token) == nil, "\(file)")
            }
        }
    }
}
