import Foundation
import Inotify
import Posix
import TestSupport
import Testing

/// One at a time: a process has one watch.
@Suite(.serialized)
struct DirectoryWatchTests {
    private let directory: TemporaryDirectory
    private let watched: String

    init() throws {
        directory = try TemporaryDirectory()
        watched = directory.file("new")
        try FileManager.default.createDirectory(atPath: watched, withIntermediateDirectories: false)
    }

    private func changed(_ name: String) -> DirectoryWatch.Event { .changed(name: Array(name.utf8)) }

    @Test("Hazard 106: a file renamed, linked or created into the directory is heard of")
    func appearing() throws {
        let outside = try directory.write("outside", "text")
        let watch = try DirectoryWatch(path: watched)
        #expect(link(outside, "\(watched)/linked") == 0)
        #expect(try watch.next(timeoutSeconds: 5) == changed("linked"))
        #expect(rename(outside, "\(watched)/renamed") == 0)
        #expect(try watch.next(timeoutSeconds: 5) == changed("renamed"))
        try "text".write(toFile: "\(watched)/created", atomically: false, encoding: .utf8)
        #expect(try watch.next(timeoutSeconds: 5) == changed("created"))
    }

    @Test("An unnamed file is heard of when linkat gives it a name")
    func unnamed() throws {
        let watch = try DirectoryWatch(path: watched)
        let file = open(watched, 0o20_000_000 | O_DIRECTORY | O_WRONLY, 0o640)  // O_TMPFILE
        defer { close(file) }
        #expect(
            linkat(AT_FDCWD, "/proc/self/fd/\(file)", AT_FDCWD, "\(watched)/entry", AT_SYMLINK_FOLLOW) == 0)
        #expect(try watch.next(timeoutSeconds: 5) == changed("entry"))
    }

    @Test("Writing to a file that is there already, and removing it, says nothing")
    func quiet() throws {
        try directory.write("new/entry", "text")
        let watch = try DirectoryWatch(path: watched)
        try directory.write("new/entry", "more")
        try FileManager.default.removeItem(atPath: "\(watched)/entry")
        #expect(try watch.next(timeoutSeconds: 1) == .timedOut)
    }

    @Test("A name is bytes, up to the longest a directory takes")
    func name() throws {
        let watch = try DirectoryWatch(path: watched)
        let name = [0xFF, 0x0A] + [UInt8](repeating: 0x61, count: 253)
        let path = Array(watched.utf8) + [0x2F] + name + [0]
        let file = path.withUnsafeBytes { open($0.bindMemory(to: CChar.self).baseAddress!, O_CREAT, 0o600) }
        try #require(file >= 0)
        close(file)
        #expect(try watch.next(timeoutSeconds: 5) == .changed(name: name))
    }

    @Test("A directory that is moved or removed is gone", arguments: [true, false])
    func gone(moved: Bool) throws {
        let watch = try DirectoryWatch(path: watched)
        if moved {
            #expect(rename(watched, watched + "-away") == 0)
        } else {
            #expect(rmdir(watched) == 0)
        }
        #expect(try watch.next(timeoutSeconds: 5) == .gone)
    }

    @Test("A missing directory and a file that is none are refused with path and reason")
    func refused() throws {
        let missing = directory.file("missing")
        #expect(throws: SystemCallError(call: "inotify_add_watch", subject: missing, errno: .notFound)) {
            _ = try DirectoryWatch(path: missing)
        }
        let file = try directory.write("file", "text")
        #expect(throws: SystemCallError(call: "inotify_add_watch", subject: file, errno: .notADirectory)) {
            _ = try DirectoryWatch(path: file)
        }
    }

    @Test("A signal ends the wait")
    func interrupted() throws {
        signal(SIGUSR1, { _ in })
        // Tests run on threads that block every signal.
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGUSR1)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        defer { pthread_sigmask(SIG_BLOCK, &set, nil) }
        let watch = try DirectoryWatch(path: watched)
        let thread = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        // A timer that sends it to this thread again and again, because one that comes before the wait is lost.
        var notification = sigevent()
        notification.sigev_notify = 4  // SIGEV_THREAD_ID
        notification.sigev_signo = SIGUSR1
        notification._sigev_un._tid = try #require(pid_t((thread as NSString).lastPathComponent))
        var timer: timer_t?
        try #require(timer_create(CLOCK_MONOTONIC, &notification, &timer) == 0)
        defer { timer_delete(timer) }
        let tick = timespec(tv_sec: 0, tv_nsec: 10_000_000)
        var period = itimerspec(it_interval: tick, it_value: tick)
        try #require(timer_settime(timer, 0, &period, nil) == 0)
        let event = try watch.next(timeoutSeconds: 30)
        #expect(event == .interrupted)
    }

    @Test("Hazard 107: more files than the kernel remembers are told as an overflow")
    func overflowed() throws {
        let text = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let limit = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        let watch = try DirectoryWatch(path: watched)
        // Different names in turn, because equal events in a row become one.
        let source = try directory.write("source", "text")
        for index in 0...(limit + 1) {
            try #require(link(source, "\(watched)/\(index % 2)") == 0)
            unlink("\(watched)/\(index % 2)")
        }
        var events = 0
        while case .changed = try watch.next(timeoutSeconds: 5) { events += 1 }
        #expect(events == limit)
    }
}
