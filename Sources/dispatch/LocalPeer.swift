internal import Posix
internal import Resolution

/// A connection to a server of this machine: bytes in and out, and no waiting.
final class LocalPeer {
    /// Why it is of no more use.
    struct Gone: Error {
        let ending: Ending
        /// For people.
        let reason: String
    }

    /// As much as is read at once.
    private static let piece = 65_536

    private let socket: StreamSocket
    private var place: Int?

    /// Starts to connect.
    init(_ address: SocketAddress) throws(Gone) {
        do throws(SystemCallError) {
            socket = try StreamSocket(connectingTo: address)
        } catch {
            throw Self.gone(error, .unreachable)
        }
    }

    /// Adds what this connection waits for.
    func watch(with poller: inout Poller) {
        place = poller.add(socket.rawValue, writing: socket.hasUnsent)
    }

    /// Sends, now or once it is connected and there is room.
    func send(_ bytes: [UInt8]) throws(Gone) {
        do throws(SystemCallError) { try socket.send(bytes) } catch { throw Self.gone(error) }
    }

    /// What has come; nil when that is nothing.
    func receive(_ poller: Poller) throws(Gone) -> [UInt8]? {
        guard let place, poller.isReadable(place) || poller.isWritable(place) else { return nil }
        let bytes: [UInt8]?
        do throws(SystemCallError) {
            bytes = try socket.receive(upTo: Self.piece)
            // What it said last is read first, even where it listens no more.
            if bytes == nil { try socket.send([]) }
        } catch {
            throw Self.gone(error)
        }
        if bytes?.isEmpty == true { throw Gone(ending: .closed, reason: "the connection was closed") }
        return bytes
    }

    private static func gone(_ error: SystemCallError) -> Gone {
        gone(error, error.errno == .connectionRefused ? .unreachable : .closed)
    }

    private static func gone(_ error: SystemCallError, _ ending: Ending) -> Gone {
        let question = ending == .unreachable ? "; is Dovecot running?" : ""
        return Gone(ending: ending, reason: "\(error.errno)\(question)")
    }
}
