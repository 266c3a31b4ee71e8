import Foundation
import Posix
import Testing

struct PollerTests {
    @Test("Without an event, the wait ends by itself and nothing is ready")
    func timeout() throws {
        let pipe = Pipe()
        var poller = Poller()
        let place = poller.add(pipe.fileHandleForReading.fileDescriptor)
        try poller.wait(timeout: .milliseconds(1))
        #expect(!poller.isReadable(place))
    }

    @Test("What can be read and what can be written are told apart, each by its place")
    func ready() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data([0x21]))
        var poller = Poller()
        let reading = poller.add(pipe.fileHandleForReading.fileDescriptor)
        let writing = poller.add(pipe.fileHandleForWriting.fileDescriptor, reading: false, writing: true)
        try poller.wait(timeout: nil)
        #expect(poller.isReadable(reading) && !poller.isWritable(reading))
        #expect(poller.isWritable(writing) && !poller.isReadable(writing))
    }

    @Test("A writer that is gone counts as readable: reading then tells the end")
    func closed() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.close()
        var poller = Poller()
        let place = poller.add(pipe.fileHandleForReading.fileDescriptor)
        try poller.wait(timeout: nil)
        #expect(poller.isReadable(place))
    }

    @Test("A peer that only closes is noticed though nothing is read, and one that only sends isn't")
    func hungUp() throws {
        var sockets: [CInt] = [0, 0]
        socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &sockets)
        let own = FileDescriptor(owning: sockets[0])
        let peer = FileHandle(fileDescriptor: sockets[1], closeOnDealloc: true)
        func isReadable() throws -> Bool {
            var poller = Poller()
            let place = poller.add(own.rawValue, reading: false, ending: true)
            try poller.wait(timeout: .zero)
            return poller.isReadable(place)
        }
        try peer.write(contentsOf: Data([0x21]))
        #expect(try !isReadable())
        try peer.close()
        #expect(try isReadable())
    }
}
