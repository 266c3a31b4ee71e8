import Foundation
import TestSupport
import Testing

@Suite("A how-to does what it says")
struct GuideTests {
    @Test("procmail's: a first spam is filed below the Maildir that it has a user make, and rings")
    func procmail() throws {
        let site = try Site()
        let guide = try Guide("procmail/README.md", of: site)
        try FileManager.default.removeItem(atPath: site.recipient.home + "/Maildir")
        let making = String(try #require(guide.text.firstMatch(of: #/`(mkdir [^`]*~[^`]*)`/#)).1)
        try site.run(["/usr/bin/env", "HOME=\(site.recipient.home)", "/bin/sh", "-ec", making])
        let rc = try guide.block(after: "For one user")
        try site.deliver(text: "From: ben@example.org\nX-Spam-Flag: YES\n\nbody\n", rc: rc)
        #expect(try site.waitingFolders() == ["Junk"])
    }

    @Test("supervisord's, without a key: what it has one append leads dispatch to the simulator")
    func simulator() throws {
        let site = try Site()
        let guide = try Guide("supervisord/README.md", of: site)
        let addition = try guide.block(after: "append this")
            .replacing(":2197", with: ":\(site.apple.port)").trimmingCharacters(in: .newlines)
        let section = site.shipped("supervisord/dispatch.conf")
        let lines = try String(contentsOfFile: section, encoding: .utf8)
        try lines.replacing(#/(?m)^environment=.*/#) { $0.output + addition }
            .write(toFile: section, atomically: false, encoding: .utf8)
        // Where the simulator has it; what other tests lead dispatch by is no use then.
        let directory = site.stateDirectory + "/simulator"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        try FileManager.default.moveItem(
            atPath: site.directory.file("etc/doorbell/ca.pem"), toPath: directory + "/ca.pem")

        try site.addDevice("a1")
        let supervisor = try Supervisor(site)
        try site.deliver(rc: site.including("trap"))
        try site.apple.waitForRequests(1)
        try supervisor.stop()
    }
}
