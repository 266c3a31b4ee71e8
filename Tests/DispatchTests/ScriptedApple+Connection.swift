import Foundation
import HTTP2
import Posix
import TLS

extension ScriptedApple {
    /// One connection of a client.
    final class Connection {
        /// Counted from 1.
        let number: Int
        /// What the server announces; set it in `connected`, to nil where SETTINGS shall wait for `start`.
        var settings: [Setting]? = [.headerTableSize(4096), .maximumConcurrentStreams(1)]
        /// How many streams the first 200 allows; nil leaves the limit alone.
        var streamsOnceAccepted: UInt32? = 1000
        /// False: nothing is taken from the socket, so that the client's bytes pile up.
        var isReading = true
        /// How many bytes a pump takes at most; nil: all there are.
        var bytesPerPump: Int?
        /// True: everything is taken and nothing is sent, not even the answer to a PING.
        var isSilent = false
        /// Complete requests in their order.
        private(set) var requests: [Request] = []
        /// Every frame's type, flags and stream, as they came.
        private(set) var frames: [FrameScanner.Frame] = []
        private(set) var acknowledgedPings = 0
        /// How the connection ended, nil while it hasn't.
        private(set) var ending: String?
        private(set) var http2: HTTP2Session?

        private var socket: StreamSocket?
        private let tls: TLSSession
        private var scanner = FrameScanner()
        private var incoming: [Int32: Request] = [:]
        /// What came before `start`.
        private var early: [UInt8] = []
        /// What is to be sent as it is, behind what nghttp2 has.
        private var raw: [UInt8] = []
        private var hasAcceptedBefore = false
        private var isClosing = false
        /// A GOAWAY of the test's, after which the socket stays open: what nghttp2 complains of by itself ends it.
        private var saysGoAway = false

        init(number: Int, socket: StreamSocket, tls: TLSSession) {
            self.number = number
            self.socket = socket
            self.tls = tls
        }

        /// Begins HTTP/2 where `settings` was nil.
        func start(_ settings: [Setting]) throws {
            self.settings = settings
            http2 = try HTTP2Session(role: .server, settings: settings)
        }

        /// Changes how many streams may be open at once.
        func limit(_ streams: UInt32) { try? http2?.submitSettings([.maximumConcurrentStreams(streams)]) }

        /// Says that streams above `last` won't be processed.
        func goAway(last: Int32, code: ErrorCode = .noError, data: String = "") {
            saysGoAway = true
            try? http2?.submitGoAway(lastStreamID: last, code: code, data: Array(data.utf8))
        }

        /// Asks the client for a sign of life; `acknowledgedPings` tells of its answer.
        func ping() { try? http2?.submitPing([]) }

        /// Sends bytes behind nghttp2's back: for frames that it wouldn't make.
        func send(_ bytes: [UInt8]) { raw += bytes }

        /// Ends in good order, with what is still to be sent before.
        func close() { isClosing = true }

        /// Ends with a TCP reset.
        func abort() {
            guard let socket else { return }
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                socket.rawValue, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
            end("aborted")
        }

        func hasAccepted() {
            guard !hasAcceptedBefore, let streamsOnceAccepted else { return }
            hasAcceptedBefore = true
            limit(streamsOnceAccepted)
        }

        func watch(with poller: inout Poller) {
            guard let socket else { return }
            _ = poller.add(socket.rawValue, reading: isReading, writing: socket.hasUnsent)
        }

        private func end(_ why: String) {
            ending = why
            socket = nil
        }

        func serve(_ requested: (Request) -> Void) {
            do {
                if isReading { try receive(requested) }
                if ending == nil { try send(requested) }
            } catch {
                _ = try? socket?.send(tls.bytesToSend())
                end("\(error)")
            }
        }

        private func receive(_ requested: (Request) -> Void) throws {
            var left = bytesPerPump ?? .max
            while left > 0, let bytes = try socket?.receive(upTo: min(left, 65_536)) {
                left -= bytes.count
                guard !bytes.isEmpty else {
                    return end("closed by the client")
                }
                try tls.receive(bytes)
                guard try tls.handshake() else { continue }
                let plaintext = try tls.read()
                frames += scanner.frames(in: plaintext)
                early += plaintext
                try take(requested)
            }
        }

        private func take(_ requested: (Request) -> Void) throws {
            if http2 == nil, let settings { try start(settings) }
            guard let http2 else { return }
            let bytes = early
            early = []
            for event in try http2.receive(bytes) { take(event, requested) }
        }

        private func send(_ requested: (Request) -> Void) throws {
            if !early.isEmpty { try take(requested) }
            guard !isSilent, let socket else { return }
            if let http2, !socket.hasUnsent {
                try tls.write(try http2.bytesToSend() + raw)
                raw = []
                for event in http2.nextEvents() { take(event, requested) }
            }
            if isClosing { tls.close() }
            try socket.send(tls.bytesToSend())
            guard !socket.hasUnsent else { return }
            if isClosing { end("closed") }
            if let complaint = http2?.complaint, !saysGoAway { end("complained: \(complaint)") }
        }

        private func take(_ event: HTTP2Event, _ requested: (Request) -> Void) {
            switch event {
            case .headers(let stream, let fields):
                let open = http2?.openStreams.count ?? 0
                incoming[stream] = Request(self, stream: stream, headers: fields, openStreams: open)
            case .data(let stream, let bytes): incoming[stream]?.body += bytes
            case .endOfStream(let stream):
                guard let request = incoming.removeValue(forKey: stream) else { return }
                requests.append(request)
                requested(request)
            case .streamClosed(let stream, _): incoming[stream] = nil
            case .pingAcknowledged: acknowledgedPings += 1
            case .requestNotSent, .goAway, .settings: break
            }
        }
    }
}
