import Foundation
import Spool
import TestSupport
import Testing

@Suite("Publishing an entry")
struct SpoolPublisherTests {
    private let spool: TemporaryDirectory
    private let entry = SpoolEntry(user: Array("alice".utf8), folder: Array("INBOX".utf8), at: 1)

    init() throws {
        spool = try TemporaryDirectory()
    }

    private func makeNew() throws {
        try FileManager.default.createDirectory(atPath: spool.file("new"), withIntermediateDirectories: false)
    }

    @Test("An entry appears in new/ whole, under a name of its time, readable for the group")
    func published() throws {
        try makeNew()
        try SpoolPublisher(spool: Array(spool.path.utf8)).publish(entry)
        let names = try FileManager.default.contentsOfDirectory(atPath: spool.file("new"))
        let name = try #require(names.first)
        #expect(names.count == 1)
        #expect(name.hasPrefix("0000000000000001."))
        let file = spool.file("new/\(name)")
        #expect(FileManager.default.contents(atPath: file) == Data(entry.encode()))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    @Test("One publisher publishes many entries of one time under different names")
    func many() throws {
        try makeNew()
        let publisher = try SpoolPublisher(spool: Array(spool.path.utf8))
        for _ in 0..<100 { try publisher.publish(entry) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: spool.file("new")).count == 100)
    }

    @Test("A spool without new/ is refused with the step and the cause")
    func missing() {
        #expect(throws: SpoolFailure(.openDirectory, errno: ENOENT)) {
            _ = try SpoolPublisher(spool: Array(spool.path.utf8))
        }
    }
}
