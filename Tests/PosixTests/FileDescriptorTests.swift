import Foundation
import Posix
import TestSupport
import Testing

struct FileDescriptorTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("Whatever fails on an open file names the path by which it was opened")
    func named() throws {
        let path = try directory.write("a", "text")
        let file = try FileDescriptor.open(path, O_RDONLY)
        #expect(throws: SystemCallError(call: "write", subject: path, errno: Errno(rawValue: EBADF))) {
            try file.writeAll([0x21])
        }
        #expect(throws: SystemCallError(call: "ftruncate", subject: path, errno: Errno(rawValue: EINVAL))) {
            try file.setSize(0)
        }
        let folder = try FileDescriptor.open(directory.path, O_RDONLY)
        #expect(throws: SystemCallError(call: "read", subject: directory.path, errno: .isADirectory)) {
            try folder.read(upTo: 1)
        }
    }

    @Test("Whatever fails on a file opened in a directory names both")
    func namedInDirectory() throws {
        let path = try directory.write("a", "text")
        let file = try Directory(path: directory.path).open(Array("a".utf8), O_RDONLY)
        #expect(throws: SystemCallError(call: "write", subject: path, errno: Errno(rawValue: EBADF))) {
            try file.writeAll([0x21])
        }
    }
}
