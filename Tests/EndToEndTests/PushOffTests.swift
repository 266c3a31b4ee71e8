import Foundation
import TestSupport
import Testing

@Suite("With push disabled")
struct PushOffTests {
    @Test("Both daemons run under supervisord for a minute without a restart, and mail flows and ends by age")
    func minute() throws {
        // Where it can, supervisord changes to the service users as on a real machine.
        let site = try Site(
            inVillage: geteuid() == 0, queue: #"max_age = "1s""#,
            push: "[push]\nenabled = false\ntopic = \"com.example.Mail\"")
        try site.addDevice("a1")
        let supervisor = try Supervisor(site)
        let log = try site.start([
            "/usr/bin/tail", "--follow", "--lines=+1", site.directory.file("var/log/doorbell/dispatch.log"),
        ])

        try site.deliver(rc: site.including("trap"))
        try log.waitForLine(containing: "1 wakes ended by age")
        #expect(throws: RunningProgram.DeadlinePassed.self) {
            try supervisor.program.waitForLine(containing: " exited: ", within: 60)
        }
        try site.deliver(rc: site.including("trap"))
        try log.waitForOutput("second end") { $0.components(separatedBy: "ended by age").dropFirst(2).first }

        #expect(try site.waitingFolders() == [])
        #expect(try site.ended("dropped", "push_off") == 2)
        #expect(site.apple.requests.isEmpty)
        let status = try site.doorbell("status").output
        #expect(status.contains("push         off: [push] says enabled = false\n"))
        #expect(status.contains("spool-drain  runs as process"))
        #expect(status.contains("dispatch     runs as process"))

        try supervisor.stop()
        for daemon in ["spool-drain", "dispatch"] {
            #expect(supervisor.program.output.components(separatedBy: "spawned: '\(daemon)'").count == 2)
            #expect(supervisor.program.output.contains("stopped: \(daemon) (exit status 0)"))
        }
    }
}
