import Foundation
import Posix
import TestSupport
import Testing

final class DirectoryTests {
    private let outer: TemporaryDirectory
    private let directory: Directory

    init() throws {
        outer = try TemporaryDirectory()
        directory = try Directory(path: outer.path)
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("Every name is listed once, as bytes, each time anew")
    func names() throws {
        let names: Set<[UInt8]> = [
            bytes("a"), bytes(".b"), [0xFF, 0x0A], [UInt8](repeating: 0x63, count: 255),
        ]
        for name in names { _ = try directory.open(name, O_CREAT | O_WRONLY, mode: 0o600) }
        for _ in 0..<2 {
            var listed: [[UInt8]] = []
            try directory.forEachName { listed.append($0) }
            #expect(listed.count == names.count)
            #expect(Set(listed) == names)
        }
    }

    @Test("A symbolic link is neither opened nor followed")
    func links() throws {
        let target = try outer.write("target", "text")
        let link = outer.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        #expect(throws: SystemCallError(call: "openat", subject: link, errno: .tooManyLinks)) {
            _ = try directory.open(bytes("link"), O_RDONLY)
        }
        #expect(try directory.status(of: bytes("link")).st_mode & S_IFMT == S_IFLNK)
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: outer.path)
        #expect(throws: SystemCallError.self) { _ = try Directory(path: link) }
    }

    @Test("Moving never replaces what has the new name")
    func move() throws {
        try FileManager.default.createDirectory(
            atPath: outer.file("other"), withIntermediateDirectories: false)
        let other = try Directory(path: outer.file("other"))
        try outer.write("a", "one")
        try directory.move(bytes("a"), to: other, as: bytes("b"))
        try outer.write("a", "two")
        #expect(throws: SystemCallError(call: "renameat2", subject: outer.file("a"), errno: .exists)) {
            try directory.move(bytes("a"), to: other, as: bytes("b"))
        }
        #expect(try String(contentsOfFile: outer.file("other/b"), encoding: .utf8) == "one")
    }

    @Test("Files and empty directories are removed, each by its own call")
    func remove() throws {
        try outer.write("a", "text")
        try FileManager.default.createDirectory(atPath: outer.file("d"), withIntermediateDirectories: false)
        #expect(throws: SystemCallError.self) { try directory.unlink(bytes("d")) }
        try directory.removeDirectory(bytes("d"))
        try directory.unlink(bytes("a"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: outer.path).isEmpty)
        #expect(throws: SystemCallError(call: "unlinkat", subject: outer.file("a"), errno: .notFound)) {
            try directory.unlink(bytes("a"))
        }
    }
}
