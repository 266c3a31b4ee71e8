import Foundation
import TestSupport
import Testing

struct StandardStreamsTests {
    @Test(
        "A program started without standard streams puts /dev/null in their place, so that no file of its own does",
        arguments: ["spool-drain", "dispatch", "doorbell", "apns-simulator"])
    func closed(program: String) throws {
        let directory = try TemporaryDirectory()
        let log = directory.file("strace")
        _ = try RunningProgram.run(
            "/usr/bin/strace",
            [
                "-o", log, "-e", "trace=openat", "-P", "/dev/null", "/bin/sh", "-c",
                #"exec "$0" --help 0<&- 1>&- 2>&-"#, try BuiltProgram.path(program),
            ],
            // A sanitizer's search for leaks can't run in a program that is traced.
            environment: ["ASAN_OPTIONS": "detect_leaks=0"])
        let opened = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").filter {
            $0.contains("/dev/null")
        }
        #expect(opened.map(\.last) == ["0", "1", "2"])
    }

    @Test("A program's standard streams stay what they are")
    func open() throws {
        let result = try RunningProgram.run(
            try BuiltProgram.path("doorbell"), ["--version"], environment: [:])
        #expect(result.output.hasPrefix("doorbell "))
    }
}
