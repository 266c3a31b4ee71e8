internal import CLibc

/// What went wrong, in one line each, kept until saying it can't get in the way of an entry.
///
/// No address and no Message-ID may be in a line, so neither a user's name nor the path of a mail is.
struct Complaint {
    private var lines: [[UInt8]] = []

    /// Takes one line.
    mutating func add(_ text: [UInt8]) {
        // A path may hold a line break; a log's reader must see one line.
        lines.append(text.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 })
    }

    /// Takes one line about a failure in the spool: where, what, why, and what comes of it.
    mutating func add(_ failure: SpoolFailure, in spool: [UInt8]) {
        let outcome: StaticString =
            failure.step == .flushName
            ? "; this mail may not ring after a power cut" : "; this mail does not ring"
        let cure: StaticString =
            failure.errno == EACCES || failure.errno == ENOENT ? "; make directories sets it right" : ""
        add(
            spool + bytes("/new: ") + bytes(failure.summary) + bytes(": ") + Self.cause(failure.errno)
                + bytes(outcome) + bytes(cure))
    }

    /// Tells a person all lines.
    func say() {
        for line in lines { clibc_say(cString(bytes("spool-enqueue: ") + line + [UInt8(ascii: "\n")])) }
    }

    /// The C library's text for an error number.
    static func cause(_ errno: CInt) -> [UInt8] {
        guard let text = strerror(errno) else { return [] }
        return UnsafeBufferPointer(start: text, count: strlen(text)).map(UInt8.init(bitPattern:))
    }
}
