import Foundation
import TestSupport
import Testing

@Suite("Nobody who reads what the hook says can hold it up")
struct StuckReaderTests {
    private let hook: Hook

    init() throws { hook = try Hook() }

    /// Fills what an open descriptor leads to, until it takes no byte more.
    private func fill(_ descriptor: Int32) {
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        let piece = [UInt8](repeating: 0x61, count: 512)
        while write(descriptor, piece, piece.count) > 0 {}
        while write(descriptor, piece, 1) > 0 {}
        _ = fcntl(descriptor, F_SETFL, flags)
    }

    @Test("A full pipe as standard error", arguments: [[], ["--unknown"], ["alice"]])
    func fullPipe(arguments: [String]) throws {
        let errors = Pipe()
        fill(errors.fileHandleForWriting.fileDescriptor)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: hook.program)
        process.arguments = ["--spool", "/nonexistent"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardError = errors.fileHandleForWriting
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        defer { kill(process.processIdentifier, SIGKILL) }
        try #require(ended.wait(timeout: .now() + 3) == .success)
        #expect(process.terminationStatus == 0)
    }

    /// A terminal that its user has stopped, as with Ctrl-S; both ends are to be closed.
    private func stoppedTerminal() throws -> (user: FileHandle, program: FileHandle, path: String) {
        var ends: (user: Int32, program: Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 256)
        try #require(openpty(&ends.user, &ends.program, &name, nil, nil) == 0)
        for end in [ends.user, ends.program] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        try #require(tcflow(ends.program, TCOOFF) == 0)
        let path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return (
            FileHandle(fileDescriptor: ends.user, closeOnDealloc: true),
            FileHandle(fileDescriptor: ends.program, closeOnDealloc: true), path
        )
    }

    @Test("A stopped terminal", arguments: [[], ["alice"]])
    func stopped(arguments: [String]) throws {
        let terminal = try stoppedTerminal()
        let outcome = try hook.run(
            arguments, prelude: "exec 2>'\(terminal.path)';", spool: "/nonexistent", within: 3)
        #expect(outcome.ending == .exited(0))
        try terminal.program.close()
        try terminal.user.close()
    }

    @Test("A stopped terminal when time is up")
    func stoppedAtAlarm() throws {
        let terminal = try stoppedTerminal()
        // strace writes what it has to say elsewhere.
        let outcome = try hook.run(
            ["--strict", "alice"], prelude: "exec 2>'\(terminal.path)';",
            strace: ["-e", "inject=fsync:delay_enter=5500000:when=1"], within: 8)
        #expect(outcome.ending == .exited(75))
        try terminal.program.close()
        try terminal.user.close()
    }

    @Test("A terminal that stops background programs which write or read")
    func background() throws {
        let terminal = try stoppedTerminal()
        tcflow(terminal.program.fileDescriptor, TCOON)
        let script = #"set -m; stty tostop; "$@" & wait $!"#
        let result = try RunningProgram.run(
            "/usr/bin/setsid",
            [
                "--wait", "/bin/bash", "-c", "exec <'\(terminal.path)' 2>'\(terminal.path)'; \(script)",
                "bash", hook.program, "--spool", hook.spool, "--uidlist", "/dev/null", "alice",
            ], within: 10)
        #expect(result.ending == .exited(0))
        #expect(try FileManager.default.contentsOfDirectory(atPath: hook.new).count == 1)
        try terminal.program.close()
        try terminal.user.close()
    }

    @Test("The system's log, full and read by nobody", Requires.root)
    func fullSystemLog() throws {
        let socketFile = hook.directory.file("log-socket")
        let reader = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let writer = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer {
            close(reader)
            close(writer)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketFile.utf8) }
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        let results = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                [bind(reader, $0, size), connect(writer, $0, size)]
            }
        }
        try #require(results == [0, 0])
        fill(writer)
        // A /dev of its own, in a mount namespace that ends with the shell.
        let script = """
            mkdir dev; touch dev/null dev/log
            mount --bind /dev/null dev/null; mount --bind log-socket dev/log; mount --rbind dev /dev
            "$@" 2>&1 | cat; exit "${PIPESTATUS[0]}"
            """
        try hook.directory.write("list", "nonsense")
        let result = try RunningProgram.run(
            "/usr/bin/unshare",
            [
                "--mount", "/bin/bash", "-c", script, "bash", hook.program, "--spool", hook.spool,
                "--uidlist", hook.directory.file("list"), "alice",
            ], directory: hook.directory.path, within: 3)
        #expect(result.ending == .exited(0))
        #expect(try FileManager.default.contentsOfDirectory(atPath: hook.new).count == 1)
    }
}
