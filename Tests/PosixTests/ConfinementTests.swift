import Foundation
import Posix
import TestSupport
import Testing

/// Each on a thread of its own, which is what Landlock confines.
struct ConfinementTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["mine", "mine/a", "mine/b", "readable", "other"] {
            #expect(mkdir(directory.file(name), 0o700) == 0)
        }
        for name in ["mine/a/file", "mine/a/second", "readable/file", "alone", "other/file"] {
            try directory.write(name, "text")
        }
        #expect(symlink("/nowhere", directory.file("mine/a/link")) == 0)
        #expect(mkfifo(directory.file("mine/a/pipe"), 0o600) == 0)
    }

    /// Confines a thread, lets it try each call, and gives the error that each ended with: 0 is success.
    private func errors(
        reading: [String] = [], writing: [String] = [], _ calls: [@Sendable () -> Int32]
    ) throws -> [Int32] {
        let confinement = Confinement(
            reading: reading.map(directory.file), writing: writing.map(directory.file))
        return try onItsOwnThread {
            try confinement.apply()
            return calls.map { $0() == -1 ? errno : 0 }
        }
    }

    private func opening(_ name: String, _ flags: Int32) -> @Sendable () -> Int32 {
        let path = directory.file(name)
        return { open(path, flags | O_CLOEXEC, 0o600) }
    }

    private func moving(_ name: String, to other: String) -> @Sendable () -> Int32 {
        let (from, to) = (directory.file(name), directory.file(other))
        return { rename(from, to) }
    }

    @Test("Where it may write it makes, reads, moves and removes files of every kind, and makes no directory")
    func writing() throws {
        let (gone, link, new) = (
            directory.file("mine/a/second"), directory.file("mine/hard"), directory.file("mine/new")
        )
        let file = directory.file("mine/a/file")
        #expect(
            try errors(
                writing: ["mine"],
                [
                    opening("mine/made", O_CREAT | O_EXCL | O_RDWR), opening("mine/made", O_TRUNC | O_WRONLY),
                    opening("mine/a", O_DIRECTORY), { unlink(gone) }, { Foundation.link(file, link) },
                    moving("mine/a/file", to: "mine/b/file"), moving("mine/a/link", to: "mine/b/link"),
                    moving("mine/a/pipe", to: "mine/b/pipe"), { mkdir(new, 0o700) },
                ]) == [0, 0, 0, 0, 0, 0, 0, 0, EACCES])
    }

    @Test("Where it may read it writes nothing")
    func reading() throws {
        let (file, new) = (directory.file("readable/file"), directory.file("readable/new"))
        #expect(
            try errors(
                reading: ["readable", "alone"],
                [
                    opening("readable", O_DIRECTORY), opening("readable/file", O_RDONLY),
                    opening("alone", O_RDONLY), opening("readable/file", O_WRONLY),
                    opening("readable/new", O_CREAT | O_WRONLY), opening("alone", O_WRONLY),
                    { unlink(file) }, { symlink(file, new) }, { truncate(file, 0) },
                ]) == [0, 0, 0] + [Int32](repeating: EACCES, count: 6))
    }

    @Test("Nothing else is opened, run, taken away or brought in, not by way of /proc either")
    func others() throws {
        let around = "/proc/self/root" + directory.file("other/file")
        let errors = try errors(
            reading: ["readable"], writing: ["mine"],
            [
                opening("other/file", O_RDONLY), opening("other", O_DIRECTORY), { open(around, O_RDONLY) },
                { open("/etc/passwd", O_RDONLY) }, { open("/proc/1/environ", O_RDONLY) },
                {
                    let code = posix_spawn(nil, "/bin/true", nil, nil, [nil], nil)
                    errno = code
                    return code == 0 ? 0 : -1
                },
                moving("other/file", to: "mine/file"), moving("mine/a/file", to: "other/moved"),
            ])
        #expect(errors.prefix(6).allSatisfy { $0 == EACCES }, "\(errors)")
        #expect(errors.suffix(2).allSatisfy { [EACCES, EXDEV].contains($0) }, "\(errors)")
    }

    @Test(
        "A directory that takes the place of one that was granted isn't granted, nor is what wasn't there then"
    )
    func replaced() throws {
        let (mine, away, missing) = (
            directory.file("mine"), directory.file("away"), directory.file("missing")
        )
        let isConfined = DispatchSemaphore(value: 0)
        let isReplaced = DispatchSemaphore(value: 0)
        // Begun before: a thread is as confined as the one that begins it.
        Thread.detachNewThread {
            isConfined.wait()
            rename(mine, away)
            for path in [mine, missing] { mkdir(path, 0o700) }
            isReplaced.signal()
        }
        let errors = try errors(
            writing: ["mine", "missing"],
            [
                {
                    isConfined.signal()
                    isReplaced.wait()
                    return 0
                },
                opening("away/a", O_DIRECTORY), opening("mine", O_DIRECTORY), opening("missing", O_DIRECTORY),
            ])
        #expect(errors == [0, 0, EACCES, EACCES])
    }
}
