internal import Glibc

/// Asks the system's resolver for a host's addresses without holding up the caller's loop.
///
/// getaddrinfo(3) blocks for as long as the network likes, so a helper thread calls it. The thread owns nothing
/// of the caller's: it writes its answer into a socket pair and ends, whether or not anybody still reads.
public final class NameLookup {
    /// What is known so far.
    public enum Result: Equatable, Sendable {
        case pending
        case failed(String)
        /// In the order to try them (RFC 6724); never empty.
        case found([SocketAddress])
    }

    private let answer: FileDescriptor

    /// Starts to look up `host` for TCP connections to `port`.
    public convenience init(host: String, port: UInt16) throws(SystemCallError) {
        try self.init { systemResult(host: host, port: port) }
    }

    /// Starts to ask `resolver`, in the helper thread: for tests of what depends on the answer.
    public init(asking resolver: @escaping @Sendable () -> Result) throws(SystemCallError) {
        var ends: [CInt] = [0, 0]
        // Of packets, so that an answer arrives whole.
        let kind = SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        _ = try systemCall("socketpair", "name look-up") { socketpair(AF_UNIX, CInt(kind), 0, &ends) }
        answer = FileDescriptor(owning: ends[0], named: "name look-up")
        let question = Unmanaged.passRetained(Question(resolver, answer: ends[1]))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let code = pthread_create(&thread, &attributes, answerQuestion, question.toOpaque())
        guard code == 0 else {
            question.release()
            throw SystemCallError(
                call: "pthread_create", subject: "name look-up", errno: Errno(rawValue: code))
        }
    }

    /// What to poll(2) for reading.
    public var rawValue: CInt { answer.rawValue }

    /// Reads the answer; call it when the descriptor is readable.
    public func result() -> Result {
        let bytes: [UInt8]
        do throws(SystemCallError) {
            bytes = try answer.read(upTo: Answer.maximumBytes)
        } catch {
            return error.errno == .again ? .pending : .failed("\(error)")
        }
        return Answer.decode(bytes)
    }
}

/// What the thread works on; the last reference is the thread's, and closes its end of the pair.
private final class Question: Sendable {
    let resolver: @Sendable () -> NameLookup.Result
    let answer: FileDescriptor

    init(_ resolver: @escaping @Sendable () -> NameLookup.Result, answer: CInt) {
        self.resolver = resolver
        self.answer = FileDescriptor(owning: answer, named: "name look-up")
    }
}

/// The answer's form: each address with its length before it, or 0 and a text.
private enum Answer {
    /// More than the addresses below can need.
    static let maximumBytes = 4096
    static let maximumAddresses = 32

    static func encode(_ result: NameLookup.Result) -> [UInt8] {
        switch result {
        case .found(let addresses):
            addresses.prefix(maximumAddresses).flatMap { [UInt8($0.bytes.count)] + $0.bytes }
        case .failed(let text): [0] + Array(text.utf8.prefix(200))
        case .pending: [0]
        }
    }

    static func decode(_ bytes: [UInt8]) -> NameLookup.Result {
        guard let first = bytes.first else { return .failed("the look-up ended without an answer") }
        if first == 0 { return .failed(String(decoding: bytes.dropFirst(), as: UTF8.self)) }
        var addresses: [SocketAddress] = []
        var rest = bytes[...]
        while let length = rest.popFirst() {
            if let address = SocketAddress(bytes: Array(rest.prefix(Int(length)))) {
                addresses.append(address)
            }
            rest = rest.dropFirst(Int(length))
        }
        return .found(addresses)
    }
}

private func answerQuestion(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let question = Unmanaged<Question>.fromOpaque(argument).takeRetainedValue()
    _ = try? question.answer.write(Answer.encode(question.resolver()))
    return nil
}

/// What the system's resolver says.
private func systemResult(host: String, port: UInt16) -> NameLookup.Result {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    guard code == 0 else { return .failed(gai_strerror(code).map { String(cString: $0) } ?? "error \(code)") }
    var addresses: [SocketAddress] = []
    var next = list
    while let entry = next?.pointee {
        if let address = entry.ai_addr {
            let bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
            SocketAddress(bytes: bytes).map { addresses.append($0) }
        }
        next = entry.ai_next
    }
    return addresses.isEmpty ? .failed("no address") : .found(addresses)
}
