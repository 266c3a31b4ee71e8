import Foundation
import Posix
import Testing

/// Signals are raised for the calling thread alone: the other tests' threads don't block them.
struct SignalDescriptorTests {
    /// Runs `body` with signals blocked, and undoes that for the thread's next test.
    private func withSignals(_ body: (borrowing SignalDescriptor) throws -> Void) throws {
        var before = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body(try SignalDescriptor())
    }

    @Test("Nothing is told before a signal has come")
    func silent() throws {
        try withSignals { #expect($0.next() == nil) }
    }

    @Test(
        "A signal ends a wait and is told once, by what it asks for",
        arguments: [(SIGTERM, .stop), (SIGINT, .stop), (SIGHUP, .reload)]
            as [(CInt, SignalDescriptor.Signal)])
    func told(number: CInt, signal: SignalDescriptor.Signal) throws {
        try withSignals { signals in
            raise(number)
            var poller = Poller()
            let place = poller.add(signals.rawValue)
            try poller.wait(timeout: .seconds(10))
            #expect(poller.isReadable(place))
            #expect(signals.next() == signal)
            #expect(signals.next() == nil)
        }
    }

    @Test("A peer that has gone is an error of the write and no deadly SIGPIPE")
    func brokenPipe() throws {
        try withSignals { _ in
            let pipe = Pipe()
            try pipe.fileHandleForReading.close()
            let writer = FileDescriptor(owning: dup(pipe.fileHandleForWriting.fileDescriptor))
            let error = #expect(throws: SystemCallError.self) { try writer.writeAll([0x21]) }
            #expect(error?.errno == .brokenPipe)
        }
    }
}
