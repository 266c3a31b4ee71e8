internal import CPosix
internal import Glibc

/// Waits until one of several descriptors is ready (poll(2)).
public struct Poller {
    private var entries: [pollfd] = []

    /// Starts an empty set.
    public init() {}

    /// Adds a descriptor to wait for; gives the place to ask about it after `wait`.
    ///
    /// - Parameters:
    ///   - descriptor: what is waited for.
    ///   - reading: until it can be read.
    ///   - writing: until it can be written.
    ///   - ending: until a socket's peer closes, though nothing is read; `isReadable` then.
    public mutating func add(
        _ descriptor: CInt, reading: Bool = true, writing: Bool = false, ending: Bool = false
    ) -> Int {
        let events = (reading ? POLLIN : 0) | (writing ? POLLOUT : 0) | (ending ? CPOSIX_POLLRDHUP : 0)
        entries.append(pollfd(fd: descriptor, events: CShort(events), revents: 0))
        return entries.count - 1
    }

    /// Waits for the first event, at most `timeout` (nil: for ever).
    ///
    /// A signal ends the wait early.
    public mutating func wait(timeout: Duration?) throws(SystemCallError) {
        // Rounded up: waking a little early would make the caller spin through the last millisecond.
        let milliseconds = timeout.map { max(0, min($0.wholeMilliseconds + 1, 3_600_000)) } ?? -1
        do throws(SystemCallError) {
            _ = try systemCall("poll", "\(entries.count) descriptors", retryingInterrupts: false) {
                poll(&entries, nfds_t(entries.count), CInt(milliseconds))
            }
        } catch  where error.errno == .interrupted {
            for index in entries.indices { entries[index].revents = 0 }
        }
    }

    /// Whether the last wait found any descriptor ready, rather than running out.
    public var hasFound: Bool { entries.contains { $0.revents != 0 } }

    /// Whether the descriptor at this place can be read, or has failed or been closed, which reading will tell.
    public func isReadable(_ place: Int) -> Bool {
        entries[place].revents & CShort(POLLIN | CPOSIX_POLLRDHUP | POLLHUP | POLLERR | POLLNVAL) != 0
    }

    /// Whether the descriptor at this place can be written, or has failed, which writing will tell.
    public func isWritable(_ place: Int) -> Bool {
        entries[place].revents & CShort(POLLOUT | POLLHUP | POLLERR | POLLNVAL) != 0
    }
}
