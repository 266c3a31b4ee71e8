import Foundation
import Posix
import TestSupport
import Testing

struct StreamSocketTests {
    private func wait(_ socket: StreamSocket, reading: Bool = false, writing: Bool = false) throws {
        var poller = Poller()
        _ = poller.add(socket.rawValue, reading: reading, writing: writing)
        try poller.wait(timeout: .seconds(10))
    }

    @Test("What is sent on a connection arrives, and what comes back is read, to the peer's end")
    func exchange() throws {
        let port = try LoopbackPort()
        try port.listen()
        let socket = try StreamSocket(connectingTo: port.address)
        try wait(socket, writing: true)
        #expect(socket.connectionError == nil)
        #expect(try socket.receive(upTo: 10) == nil)
        do {
            let peer = try port.accept()
            try socket.send(Array("ping".utf8))
            #expect(!socket.hasUnsent)
            #expect(try peer.read(upTo: 10) == Array("ping".utf8))
            try peer.writeAll(Array("pong".utf8))
            try wait(socket, reading: true)
            #expect(try socket.receive(upTo: 10) == Array("pong".utf8))
        }
        try wait(socket, reading: true)
        #expect(try socket.receive(upTo: 10) == [])
    }

    @Test("An accepted connection doesn't block, and isn't handed to other programs")
    func accepted() throws {
        let port = try LoopbackPort()
        try port.listen()
        let client = try StreamSocket(connectingTo: port.address)
        let server = try StreamSocket(accepted: port.accept())
        #expect(try server.receive(upTo: 10) == nil)
        #expect(fcntl(server.rawValue, F_GETFD) & FD_CLOEXEC != 0)
        try client.send(Array("ping".utf8))
        try wait(server, reading: true)
        #expect(try server.receive(upTo: 10) == Array("ping".utf8))
    }

    @Test("A refused connection is told, and not before it is writable")
    func refused() throws {
        let port = try LoopbackPort()
        let socket = try StreamSocket(connectingTo: port.address)
        try wait(socket, writing: true)
        #expect(
            socket.connectionError
                == SystemCallError(call: "connect", subject: "peer", errno: .connectionRefused))
    }

    @Test("What the kernel doesn't take at once waits, in order, and sending never blocks")
    func unsent() throws {
        let port = try LoopbackPort()
        try port.listen()
        let socket = try StreamSocket(connectingTo: port.address)
        try wait(socket, writing: true)
        let peer = try port.accept()
        let sent = (0..<16_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        try socket.send(sent)
        #expect(socket.hasUnsent)
        var arrived: [UInt8] = []
        while arrived.count < sent.count {
            arrived += try peer.read(upTo: 1 << 20)
            try socket.send([])
        }
        #expect(arrived == sent)
        #expect(!socket.hasUnsent)
    }

    @Test("A peer that resets the connection is named, not a descriptor's number")
    func reset() throws {
        let port = try LoopbackPort()
        try port.listen()
        let socket = try StreamSocket(connectingTo: port.address)
        try wait(socket, writing: true)
        do {
            let peer = try port.accept()
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                peer.rawValue, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        }
        try wait(socket, reading: true)
        let error = SystemCallError(call: "read", subject: "peer", errno: Errno(rawValue: ECONNRESET))
        #expect(throws: error) { try socket.receive(upTo: 10) }
    }
}
