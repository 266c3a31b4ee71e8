internal import CLibc

/// The mail on standard input.
enum StandardInput {
    /// How the reading ended.
    enum Ending {
        case ended
        /// The writer took too long.
        case late
        case failed(errno: CInt)

        /// Adds what was wrong, if anything.
        func complain(_ complaint: inout Complaint) {
            switch self {
            case .ended: break
            case .late:
                complaint.add(bytes("standard input did not end in time; this mail rings with what was read"))
            case .failed(let errno):
                complaint.add(
                    bytes("standard input: ") + Complaint.cause(errno)
                        + bytes("; this mail rings with what was read"))
            }
        }
    }

    /// How long to wait for the end, in milliseconds: the files that ship have `timeout` kill the hook after 3 s, and a
    /// third of that is left for publishing.
    static let patience: Int64 = 2000
    /// What a pipe holds on Linux.
    private static let pieceSize = 65536

    /// Reads the mail to its end, because a writer that can't get rid of it would report an error or wait.
    ///
    /// `take` sees every piece; only the last one read is in memory.
    static func read(_ take: (UnsafeRawBufferPointer) -> Void) -> Ending {
        let start = milliseconds(CLOCK_MONOTONIC)
        return withUnsafeTemporaryAllocation(byteCount: pieceSize, alignment: 1) { piece in
            while true {
                let left = start + patience - milliseconds(CLOCK_MONOTONIC)
                var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                guard left > 0, poll(&input, 1, CInt(left)) != 0 else { return .late }
                let count = CLibc.read(STDIN_FILENO, piece.baseAddress, piece.count)
                if count == 0 { return .ended }
                if count > 0 {
                    take(UnsafeRawBufferPointer(rebasing: piece[..<count]))
                    continue
                }
                let errno = clibc_errno()
                if errno != EINTR && errno != EAGAIN { return .failed(errno: errno) }
            }
        }
    }

    /// A clock's time in milliseconds.
    static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        _ = clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
