import APNs
import Foundation
import HTTP2
import Posix
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("A connection's streams, against a scripted server")
struct StreamsTests {
    @Test("Hazard 29: a server with seconds of latency is kept")
    func latency() throws {
        let wire = try Wire { $0.requested = { _ in } }
        try wire.open()
        try wire.push(1...1)
        try wire.run { wire.apple.requests.count == 1 }
        let peer = try wire.peer
        peer.isSilent = true
        try wire.pass(.seconds(10))
        try wire.run("a PING") { peer.frames.pings == 1 }
        // Its answer takes five seconds, the push's own twenty-two.
        try wire.pass(.seconds(5))
        peer.isSilent = false
        try wire.exchange()
        try wire.pass(.seconds(7))
        wire.apple.requests[0].answer()
        try wire.run { wire.answers.count == 1 }
        #expect(wire.summaries == ["status 200": 1])
        #expect(wire.closings.isEmpty)
        #expect(peer.frames.pings == 1)
    }

    @Test("Hazard 32: no more streams are open than the server allows, through every change of its mind")
    func limits() throws {
        let wire = try Wire { $0.requested = { _ in } }
        try wire.open()
        let peer = try wire.peer
        var open: Int { peer.http2?.openStreams.count ?? 0 }
        var next = Int64(1)
        for limit in [500, 10, 0, 100, 5, 1000] {
            // Up to twenty are open from before.
            let before = open
            peer.limit(UInt32(limit))
            try wire.exchange()
            let free = wire.connection.machine.freeStreams
            #expect(free == max(0, min(limit, 500) - before))
            for _ in 0..<free {
                try wire.push(next...next)
                next += 1
            }
            try wire.exchange()
            #expect(open == max(before, min(limit, 500)))
            let waiting = wire.apple.requests.filter { peer.http2?.openStreams.contains($0.stream) == true }
            for request in waiting.dropLast(20) { request.answer(503) }
            try wire.exchange()
        }
        #expect(wire.closings.isEmpty)
        #expect(wire.answers.allSatisfy { $0.answer.summary == "status 503" })
    }

    @Test("Hazard 33: nothing is sent before the server's SETTINGS, however long they take")
    func lateSettings() throws {
        let wire = try Wire { $0.connected = { $0.settings = nil } }
        try wire.run("the client's SETTINGS") { wire.apple.connections.first?.frames.isEmpty == false }
        try wire.pass(.seconds(19))
        #expect(wire.connection.machine.freeStreams == 0)
        let peer = try wire.peer
        try peer.start([.maximumConcurrentStreams(7)])
        try wire.run { wire.connection.machine.freeStreams == 7 }
        #expect(peer.frames.opened.isEmpty)
    }

    @Test("Hazard 34: of fifty open requests one is refused for its token, the others for that: none is lost")
    func tokenRefused() throws {
        let wire = try Wire(streams: 100) { $0.requested = { _ in } }
        try wire.open()
        try wire.push(1...50)
        try wire.run { wire.apple.requests.count == 50 }
        wire.apple.requests[0].answer(403, reason: "ExpiredProviderToken")
        try wire.peer.limit(1)
        for request in wire.apple.requests[1..<25] { request.refuse() }
        for request in wire.apple.requests[25...] { request.reset(.streamClosed) }
        try wire.run { wire.answers.count == 50 }
        #expect(wire.summaries == ["ExpiredProviderToken": 1, "not processed": 24, "connection lost": 25])
        #expect(wire.closings.isEmpty)
        #expect(wire.connection.machine.freeStreams == 1)
        #expect(!wire.connection.machine.isProven)
    }

    @Test(
        "Hazard 38: when stream ids run out, what has one is answered and the rest goes elsewhere, uncharged")
    func idsRunOut() throws {
        let wire = try Wire(streams: 100)
        try wire.open()
        try wire.connection.http2.skip(toStreamID: .max - 2)
        try wire.push(1...5)
        #expect(wire.connection.machine.isRetired)
        try wire.run("the end") { wire.closings.count == 1 }
        #expect(wire.summaries == ["status 200": 2, "not processed": 3])
        #expect(wire.closings.map(\.isTrouble) == [false])
        #expect(try wire.peer.frames.opened == [.max - 2, .max])
    }

    @Test("Hazard 41: an idle connection wakes nobody for an hour")
    func idle() throws {
        let wire = try Wire()
        try wire.open()
        try wire.push(1...1)
        try wire.run { wire.answers.count == 1 }
        try wire.exchange()
        #expect(try #require(wire.connection.nextTimer) == wire.now + .seconds(3600))
        var poller = Poller()
        wire.connection.watch(with: &poller)
        try poller.wait(timeout: .zero)
        #expect(!poller.isReadable(0) && !poller.isWritable(0))
        try wire.pass(.seconds(3600))
        let peer = try wire.peer
        try wire.run("a PING") { peer.frames.pings == 1 }
        try wire.exchange()
        #expect(try #require(wire.connection.nextTimer) == wire.now + .seconds(3600))
    }

    @Test("Hazard 81: a network that takes a few bytes at a time garbles nothing")
    func narrow() throws {
        let wire = try Wire(streams: 500)
        try wire.open()
        var bytes: CInt = 1
        let socket = try #require(wire.connection.socket).rawValue
        setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
        let peer = try wire.peer
        peer.bytesPerPump = 61
        try wire.push(1...500)
        #expect(wire.connection.socket?.hasUnsent == true, "the network takes everything at once")
        try wire.run { wire.answers.count == 500 }
        #expect(wire.summaries == ["status 200": 500])
        let body =
            #"{"aps":{"alert":"New mail","mutable-content":1,"category":"MAIL_MESSAGE","sound":"default"},"#
            + #""msgRef":{"folder":"INBOX","uid":4271}}"#
        #expect(wire.apple.requests.allSatisfy { $0.body == Array(body.utf8) })
        #expect(peer.ending == nil)
    }

    @Test(
        "Hazard 62: a server that answers PINGs and no request is left: what it has is cancelled, the rest goes elsewhere"
    )
    func wedged() throws {
        let wire = try Wire(streams: 100) { $0.requested = { _ in } }
        try wire.open()
        try wire.push(1...1)
        for second in 1...30 {
            try wire.pass(.seconds(1))
            if second == 5 { try wire.push(2...2) }
            if second % 10 == 0 { try wire.exchange() }
        }
        #expect(wire.summaries == ["no answer in time": 1])
        #expect(wire.connection.machine.isRetired)
        #expect(try wire.peer.frames.resets == [1])
        try wire.exchange()
        try wire.pass(.seconds(5))
        try wire.run("the end") { wire.closings.count == 1 }
        #expect(wire.summaries == ["no answer in time": 2])
        #expect(wire.retiredUseless == ["silence about every request"])
        #expect(wire.closings.map(\.isTrouble) == [false])
    }

    @Test("Hazard 20: fifty requests, one after the other, break no rule of the protocol")
    func sequence() throws {
        let wire = try Wire()
        try wire.open()
        for delivery in Int64(1)...50 {
            try wire.push(delivery...delivery)
            try wire.run { wire.answers.count == delivery }
        }
        #expect(wire.summaries == ["status 200": 50])
        let peer = try wire.peer
        #expect(peer.frames.opened == (0..<50).map { $0 * 2 + 1 })
        #expect(peer.frames.resets.isEmpty)
        #expect(peer.ending == nil)
    }
}
