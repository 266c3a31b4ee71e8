import Foundation
import Posix
import TestSupport
import Testing

struct ReplacedFileTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("file")
    }

    @Test(
        "The file is replaced as a whole, with its mode, and nothing is left beside it",
        arguments: [false, true])
    func replaced(synchronizing: Bool) throws {
        try directory.write("file", "old and longer", mode: 0o600)
        try ReplacedFile.write(Array("new".utf8), to: path, mode: 0o644, synchronizing: synchronizing)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o644)
    }

    @Test("When it can't be put in its place, the old one stays and nothing is left beside it")
    func failed() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try directory.write("file/inside", "text")
        #expect {
            try ReplacedFile.write([], to: path, mode: 0o644)
        } throws: {
            ($0 as? SystemCallError)?.call == "rename"
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
    }
}
