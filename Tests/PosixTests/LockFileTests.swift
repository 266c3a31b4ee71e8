import Foundation
import Posix
import TestSupport
import Testing

struct LockFileTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("a.lock")
    }

    @Test("A lock that is held is refused, naming the holder's process id")
    func held() throws {
        let lock = try LockFile(path: path)
        #expect(throws: LockFile.Failure.held(path: path, holder: "\(getpid())")) {
            _ = try LockFile(path: path)
        }
        #expect(try LockFile.holder(path: path) == "\(getpid())")
        _ = consume lock
    }

    @Test("A lock that was let go can be taken again, and nobody is said to hold it")
    func released() throws {
        do { _ = try LockFile(path: path) }
        #expect(try LockFile.holder(path: path) == nil)
        _ = try LockFile(path: path)
    }

    // Some machines let only root use /dev/full.
    @Test("A full disk, which can't take the process id, doesn't keep the lock away", Requires.root)
    func fullDisk() throws {
        _ = try LockFile(path: "/dev/full")
    }

    @Test("A lock is open to the group whatever the umask")
    func mode() throws {
        _ = try LockFile(path: path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o660)
    }

    @Test("A lock that was never made is held by nobody")
    func neverMade() throws {
        #expect(try LockFile.holder(path: path) == nil)
    }

    @Test("A lock in a missing directory tells which call failed on what")
    func missing() {
        let path = directory.file("missing/a.lock")
        let error = SystemCallError(call: "open", subject: path, errno: .notFound)
        #expect(throws: LockFile.Failure.system(error)) { _ = try LockFile(path: path) }
        #expect("\(LockFile.Failure.system(error))" == "open \(path): No such file or directory")
    }

    @Test("A symbolic link in the lock's place isn't followed")
    func link() throws {
        let target = try directory.write("target", "text")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        #expect(throws: LockFile.Failure.self) { _ = try LockFile(path: path) }
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "text")
    }
}
