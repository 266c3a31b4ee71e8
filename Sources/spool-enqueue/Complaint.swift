internal import CLibc

/// Tells a person what went wrong, in one line: on standard error while that is kept, else through syslog.
///
/// No address and no Message-ID may be in a line, so neither a user's name nor the path of a mail is.
struct Complaint {
    private var hasStandardError = true

    /// Has further lines go to syslog, and the alarm say nothing.
    mutating func leaveStandardError() {
        hasStandardError = false
        clibc_set_last_words(nil)
    }

    /// Writes one line.
    func say(_ text: [UInt8]) {
        // A path may hold a line break; a log's reader must see one line.
        let clean = text.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }
        if hasStandardError {
            let line = bytes("spool-enqueue: ") + clean + [UInt8(ascii: "\n")]
            if write(STDERR_FILENO, line, line.count) == line.count { return }
        }
        clibc_syslog(cString(clean))
    }

    /// Writes one line about a failure in the spool: where, what, why, and what comes of it.
    func say(_ failure: SpoolFailure, in spool: [UInt8]) {
        let outcome: StaticString =
            failure.step == .flushName
            ? "; this mail may not ring after a power cut" : "; this mail does not ring"
        say(
            spool + bytes("/new: ") + bytes(failure.summary) + bytes(": ") + Self.cause(failure.errno)
                + bytes(outcome))
    }

    /// The C library's text for an error number.
    static func cause(_ errno: CInt) -> [UInt8] {
        guard let text = strerror(errno) else { return [] }
        return UnsafeBufferPointer(start: text, count: strlen(text)).map(UInt8.init(bitPattern:))
    }
}
