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
}
