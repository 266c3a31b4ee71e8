import Foundation
import Settings
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("What doorbell status can tell of a mail server")
struct StatusOfServersTests {
    @Test(
        "Where it is, from the first turn and the first with other settings on, and whether it was asked since"
    )
    func asked() throws {
        let imap = try ScriptedIMAP()
        let bench = try LoopBench(mailServer: imap)
        try bench.register(1)
        func isAsked() throws -> Bool? {
            let file = bench.directory.file("state/dispatch.status")
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let server = #""service":"imap","address":"127.0.0.1:\#(imap.port)","asked":"#
            return text.contains("\(server)true") ? true : text.contains("\(server)false") ? false : nil
        }
        try bench.dispatcher.turn()
        #expect(try isAsked() == false)
        imap.file(try bench.insertUnknown(), for: "user1", at: bench.wall)
        try bench.run(until: "a request") { !bench.apple.requests.isEmpty }
        bench.dispatcher.report()
        #expect(try isAsked() == true)
        bench.dispatcher.renew {
            Dispatcher.Renewal(
                configuration: bench.dispatcher.configuration, provider: bench.dispatcher.provider,
                dovecot: try Dovecot(bench.dispatcher.configuration.dovecot))
        }
        try bench.dispatcher.turn()
        #expect(try isAsked() == false)
    }
}
