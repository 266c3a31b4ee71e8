import APNs
import Foundation
import Posix
import Synchronization
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("Names and addresses of a server")
struct AddressTests {
    private static func address(_ port: UInt16) throws -> SocketAddress {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = inet_addr("127.0.0.1")
        return try #require(SocketAddress(bytes: withUnsafeBytes(of: name) { Array($0) }))
    }

    /// The same machine by IPv6, where nobody listens.
    private static func deadAddress(_ port: UInt16) throws -> SocketAddress {
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = port.bigEndian
        name.sin6_addr = in6addr_loopback
        return try #require(SocketAddress(bytes: withUnsafeBytes(of: name) { Array($0) }))
    }

    /// A port that takes no more connections and refuses none: whoever connects waits.
    private final class Crowded {
        private let port: LoopbackPort
        private let waiting: [StreamSocket]
        var address: SocketAddress { port.address }

        init() throws {
            port = try LoopbackPort()
            try port.listen(backlog: 0)
            let address = port.address
            waiting = try (0..<4).map { _ in try StreamSocket(connectingTo: address) }
        }
    }

    @Test("Hazard 25: every address is tried, those that refuse and those that say nothing")
    func everyAddress() throws {
        let crowded = try Crowded()
        let live = Mutex<[SocketAddress]>([])
        let wire = try Wire { apple in
            live.withLock {
                $0 = [try? Self.deadAddress(apple.port), crowded.address, try? Self.address(apple.port)]
                    .compactMap { $0 }
            }
        } resolver: {
            .found(live.withLock { $0 })
        }
        try wire.run("the second address") {
            guard case .connecting(_, let rest) = wire.connection.phase else { return false }
            return rest.count == 1
        }
        // Its share of the time.
        try wire.pass(.seconds(9))
        #expect(wire.connection.machine.freeStreams == 0)
        try wire.pass(.seconds(1))
        try wire.open()
        withExtendedLifetime(crowded) {}
    }

    @Test("Hazard 25: each connection has a look-up of its own, so a server may move")
    func moved() throws {
        let calls = Mutex(0)
        let live = Mutex<SocketAddress?>(nil)
        let wire = try Wire { apple in
            live.withLock { $0 = try? Self.address(apple.port) }
        } resolver: {
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls == 1
            }
            guard !isFirst, let address = live.withLock({ $0 }) else { return .failed("no such host") }
            return .found([address])
        }
        try wire.run("the first end") { wire.closings.count == 1 }
        #expect(wire.closings == [.init(reason: "127.0.0.1: no such host", isTrouble: true)])
        try wire.reconnect()
        try wire.open()
        #expect(calls.withLock { $0 } == 2)
    }

    @Test("A look-up that hangs holds nothing: the connection ends in time, or when it is told to")
    func hangingLookUp() throws {
        let gate = DispatchSemaphore(value: 0)
        let wire = try Wire(resolver: {
            gate.wait()
            return .failed("too late")
        })
        defer { for _ in 0..<2 { gate.signal() } }
        try wire.pass(.seconds(19))
        #expect(wire.closings.isEmpty)
        try wire.pass(.seconds(1))
        #expect(wire.closings == [.init(reason: "127.0.0.1: no connection in time", isTrouble: true)])
        weak let hanging = wire.connection
        try wire.reconnect()
        #expect(hanging == nil)
        wire.close()
        #expect(wire.closings.count == 2)
    }
}
