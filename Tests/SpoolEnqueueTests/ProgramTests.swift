import Foundation
import TestSupport
import Testing

@Suite("The program file")
struct ProgramTests {
    private let hook: Hook

    init() throws { hook = try Hook() }

    @Test("Stripped it has less than 64 KB")
    func size() throws {
        let stripped = hook.directory.file("stripped")
        _ = try RunningProgram.run("/usr/bin/strip", ["-o", stripped, hook.program])
        let size = try FileManager.default.attributesOfItem(atPath: stripped)[.size] as? Int
        #expect(try #require(size) < 65536)
    }

    @Test("It needs the C library and nothing else")
    func libraries() throws {
        let result = try RunningProgram.run("/usr/bin/ldd", [hook.program])
        let names = result.output.split(separator: "\n").compactMap { line in
            line.split(separator: " ").first.map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let needed = names.filter { !$0.hasPrefix("linux-vdso") && !$0.contains("ld-linux") }
        #expect(needed == ["libc.so.6"])
    }
}
