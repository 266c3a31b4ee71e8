internal import CInotify
internal import Glibc
public import Posix
internal import Synchronization

/// Hears of names that appear in a directory (inotify(7) through libinotifytools).
///
/// What it says is a hint to look, never a list of what is there: watch first, then look, then wait.
///
/// The library keeps everything in static variables, so there is one watch in a process and one thread that uses it.
/// It waits with pselect(2), which takes descriptors below 1024 only, so open the watch before other files; and it
/// doesn't close its descriptor on exec, so a program with a watch starts no other program.
public struct DirectoryWatch: ~Copyable {
    /// Why a wait has ended.
    public enum Event: Equatable, Sendable {
        /// A file or directory of this name has appeared.
        case changed(name: [UInt8])
        /// Nothing happened.
        case timedOut
        /// A signal was handled.
        case interrupted
        /// More happened than the kernel keeps: anything may have appeared.
        case overflowed
        /// The directory was moved, removed or unmounted: nothing more will be heard.
        case gone
    }

    /// A limit of the kernel's for inotify(7), by its name in /proc/sys/fs/inotify.
    public enum Limit: String, CaseIterable, Sendable {
        /// The most events that wait for a reader; past it they overflow.
        case queuedEvents = "max_queued_events"
        /// The most instances of a user: a watch takes one.
        case instances = "max_user_instances"
        /// The most watched files of a user.
        case watches = "max_user_watches"

        /// What it is now; nil where that can't be read.
        public var value: Int? {
            guard let file = try? FileDescriptor.open("/proc/sys/fs/inotify/\(rawValue)", O_RDONLY),
                let bytes = try? file.read(upTo: 32)
            else { return nil }
            return Int(String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self))
        }
    }

    private static let isInUse = Atomic(false)

    /// Created in place or linked (CREATE), renamed (MOVED_TO); and what may become of the directory itself.
    private static let mask =
        IN_CREATE | IN_MOVED_TO | IN_MOVE_SELF | IN_DELETE_SELF | IN_UNMOUNT | CInt(IN_ONLYDIR)

    /// Starts to watch a directory.
    ///
    /// - Throws: EMFILE when the user has no inotify instance left (`fs.inotify.max_user_instances`), ENOSPC when
    ///   there is no watch left (`fs.inotify.max_user_watches`), EACCES when the directory can't be read.
    public init(path: String) throws(SystemCallError) {
        let wasInUse = Self.isInUse.exchange(true, ordering: .relaxed)
        precondition(!wasInUse, "one watch in a process")
        do throws(SystemCallError) {
            try Self.require(inotifytools_initialize() != 0, "inotify_init", path)
            try Self.require(inotifytools_watch_file(path, Self.mask) != 0, "inotify_add_watch", path)
        } catch {
            Self.end()
            throw error
        }
    }

    deinit { Self.end() }

    private static func end() {
        inotifytools_cleanup()
        isInUse.store(false, ordering: .relaxed)
    }

    private static func require(_ succeeded: Bool, _ call: StaticString, _ path: String)
        throws(SystemCallError)
    {
        guard !succeeded else { return }
        throw SystemCallError(call: "\(call)", subject: path, errno: Errno(rawValue: inotifytools_error()))
    }

    /// Waits for the next event.
    ///
    /// A signal that lands just before the wait doesn't end it; whoever counts on one has to send it again.
    ///
    /// - Parameter timeoutSeconds: at least 1; the library takes 0 for "for ever".
    public func next(timeoutSeconds: Int) throws(SystemCallError) -> Event {
        precondition(timeoutSeconds >= 1, "the library has no shorter time-out")
        guard let event = inotifytools_next_event(timeoutSeconds) else {
            let errno = Errno(rawValue: inotifytools_error())
            if errno == .interrupted { return .interrupted }
            guard errno.rawValue == 0 else {
                throw SystemCallError(call: "read", subject: "inotify", errno: errno)
            }
            return .timedOut
        }
        let mask = CInt(bitPattern: event.pointee.mask)
        if mask & CInt(IN_Q_OVERFLOW) != 0 { return .overflowed }
        if mask & (IN_MOVE_SELF | CInt(IN_IGNORED)) != 0 { return .gone }
        // IN_IGNORED follows at once. Left unread in the library's buffer, it would end the next watch.
        if mask & (IN_DELETE_SELF | CInt(IN_UNMOUNT)) != 0 { return try next(timeoutSeconds: timeoutSeconds) }
        // The name follows the structure, padded with NUL bytes to `len`.
        let name = UnsafeRawBufferPointer(start: event + 1, count: Int(event.pointee.len))
        return .changed(name: Array(name.prefix { $0 != 0 }))
    }
}
