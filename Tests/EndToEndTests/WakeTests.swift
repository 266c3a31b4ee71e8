import Foundation
import Posix
import TestSupport
import Testing

@Suite("Nothing waits for a time-out")
struct WakeTests {
    @Test("With the rescan set to an hour, a mail rings the phone at once")
    func noRescan() throws {
        let site = try Site(spool: #"rescan = "1h""#)
        try site.addDevice("a1")
        try site.startDrain()
        try site.startDispatch()
        try site.deliver(rc: site.including("trap"))
        try site.apple.waitForRequests(1)
    }

    @Test("The drain pulls dispatch's trigger once the notice is committed")
    func trigger() throws {
        let site = try Site(spool: #"rescan = "1h""#)
        let trigger = try TriggerFIFO(path: site.stateDirectory + "/dispatch.wake", mode: 0o660)
        try site.startDrain()
        try site.deliver(rc: site.including("trap"))
        var poller = Poller()
        let place = poller.add(trigger.rawValue)
        try poller.wait(timeout: .seconds(30))
        #expect(poller.isReadable(place))
        #expect(try site.doorbell("status").output.contains("waiting      1\n"))
    }
}
