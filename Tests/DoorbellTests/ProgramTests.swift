import Foundation
import Posix
import Queue
import TestSupport
import Testing

@Suite("The program doorbell")
struct ProgramTests {
    private let bench: CommandBench

    init() throws { bench = try CommandBench() }

    @Test(
        "A device is added, with the configuration's defaults: its id is the output, what it took is told beside"
    )
    func add() throws {
        let result = try bench.doorbell(
            "device", "add", "--user", NSUserName(), input: CommandBench.token + "\n")
        #expect(result.ending == .exited(0))
        #expect(result.output == "1\n")
        #expect(
            result.errors
                == "doorbell: device 1: topic com.example.Mail, environment production, platform ios, folders INBOX\n"
        )
        let device = try #require(try bench.store().devices().first)
        #expect(device.registration.token == [UInt8](repeating: 0xC4, count: 31) + [0xFE])
        #expect(device.topic == "com.example.Mail")
        #expect(device.environment == "production")
    }

    @Test("What was asked for is told as it was taken, the topic and the folders too")
    func told() throws {
        let result = try bench.doorbell(
            "device", "add", "--user", NSUserName(), "--topic", "com.example.Other", "--environment",
            "sandbox",
            "--platform", "macos", "--folders", "INBOX,Lists", input: CommandBench.token)
        #expect(
            result.errors
                == "doorbell: device 1: topic com.example.Other, environment sandbox, platform macos, folders INBOX,Lists\n"
        )
    }

    @Test("A user without an account here is accepted with a warning, which doesn't repeat the name")
    func virtualUser() throws {
        let result = try bench.doorbell("device", "add", "--user", "no-such-user", input: CommandBench.token)
        #expect(result.ending == .exited(0))
        #expect(result.output == "1\n")
        #expect(result.errors.contains("\ndoorbell: warning: this machine has no account of the user's name"))
        #expect(!result.errors.contains("no-such-user"))
        #expect(try bench.store().devices().map(\.user) == ["no-such-user"])
    }

    @Test("Adding a known device again prints the same id and updates it")
    func addAgain() throws {
        _ = try bench.doorbell("device", "add", "--user", "alice", input: CommandBench.token)
        let again = try bench.doorbell(
            "device", "add", "--user", "alice", "--label", "New", input: CommandBench.token.uppercased())
        #expect(again.output == "1\n")
        #expect(try bench.store().devices().map(\.label) == ["New"])
    }

    @Test("A list shows the device and no more than 8 characters of its token")
    func list() throws {
        _ = try bench.doorbell("device", "add", "--user", "alice", input: CommandBench.token)
        let list = try bench.doorbell("device", "list").output
        #expect(list.contains(" c4c4c4c4 "))
        #expect(!list.lowercased().contains("c4c4c4c4c"))
    }

    @Test("A removed device is gone; removing it again is refused with 69")
    func remove() throws {
        _ = try bench.doorbell("device", "add", "--user", "alice", input: CommandBench.token)
        #expect(try bench.doorbell("device", "remove", "1").ending == .exited(0))
        #expect(try bench.store().devices().map(\.removedReason) == ["operator"])
        let again = try bench.doorbell("device", "remove", "1")
        #expect(again.ending == .exited(69))
        #expect(again.errors == "doorbell: no live device 1; see doorbell device list\n")
    }

    @Test("What is wrong with the input, the arguments or the files has its own exit code")
    func exitCodes() throws {
        #expect(try bench.doorbell("device", "add").ending == .exited(64))
        #expect(try bench.doorbell("device", "add", "--user", "alice", input: "c4c4").ending == .exited(65))
        try bench.directory.write("state/doorbell.db", "not a database, but long enough to be looked at")
        #expect(try bench.doorbell("status").ending == .exited(74))
        try bench.directory.write("doorbell.toml", "[queue]\npaht = 1\n")
        let result = try bench.doorbell("status")
        #expect(result.ending == .exited(78))
        #expect(result.errors.contains("doorbell.toml:2:"))
    }

    @Test("Without a topic anywhere, adding a device is refused with what to do")
    func noTopic() throws {
        try bench.directory.write(
            "doorbell.toml", "[queue]\npath = \"\(bench.directory.file("state/doorbell.db"))\"\n")
        let result = try bench.doorbell("device", "add", "--user", "alice", input: CommandBench.token)
        #expect(result.ending == .exited(64))
        #expect(result.errors.contains("--topic is missing"))
    }

    @Test("Help and version need no configuration")
    func help() throws {
        try bench.directory.write("doorbell.toml", "broken")
        #expect(try bench.doorbell("--help").output.hasPrefix("usage: doorbell"))
        #expect(try bench.doorbell("--version").output == "doorbell \(Version.text)\n")
    }
}
