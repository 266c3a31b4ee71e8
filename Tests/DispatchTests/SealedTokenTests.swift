import Foundation
import Queue
import SQLite
import TestSupport
import Testing

@Suite("dispatch and the key of the device tokens")
struct SealedTokenTests {
    private func key(of installation: Installation) -> String {
        installation.directory.file("state/doorbell.key")
    }

    @Test("A missing key is refused with 78 and a line that says what to do, and nothing is lost")
    func missing() throws {
        let (installation, queue) = try oneWake()
        let key = key(of: installation)
        try FileManager.default.moveItem(atPath: key, toPath: key + ".away")
        let result = try installation.run("dispatch", ["--once"])
        #expect(result.ending == .exited(78))
        #expect(
            result.errors.contains(
                "\(key): is missing, and device tokens are sealed with it; put that key back"))
        #expect(!FileManager.default.fileExists(atPath: key))
        try FileManager.default.moveItem(atPath: key + ".away", toPath: key)
        #expect(try installation.run("dispatch", ["--once"]).ending == .exited(0))
        #expect(try queue.ended(.sent) == 1)
    }

    @Test("Another key is refused with 78, until all devices are removed and have registered again")
    func wrong() throws {
        let (installation, queue) = try oneWake()
        try installation.directory.write(
            "state/doorbell.key", String(repeating: "ab", count: 32) + "\n", mode: 0o600)
        let result = try installation.run("dispatch", ["--once"])
        #expect(result.ending == .exited(78))
        #expect(result.errors.contains("sealed with another key than doorbell.key holds"), "\(result.errors)")
        #expect(
            try installation.run("doorbell", ["device", "remove", "--all"]).output == "1 device removed\n")
        #expect(try installation.run("dispatch", ["--once"]).ending == .exited(0))
        let digits = String(repeating: "b2", count: 32)
        #expect(
            try installation.run("doorbell", ["device", "add", "--user", "alice"], input: digits).ending
                == .exited(0))
        try queue.insert(first: 2)
        #expect(try installation.run("dispatch", ["--once"]).ending == .exited(0))
        #expect(try queue.ended(.sent) == 1)
        #expect(try queue.ended(.dropped, "no_device") + queue.ended(.dropped, "device_gone") == 1)
    }

    @Test("A token that can't be opened fails its wake with that reason, and the other device's is sent")
    func unreadable() throws {
        let (installation, queue) = try oneWake()
        try queue.register(0xB2)
        try Connection(path: installation.queue, busyTimeout: .seconds(5)).run(
            "UPDATE devices SET sealed_token = zeroblob(60) WHERE id = 1")
        let result = try installation.run("dispatch", ["--once"])
        #expect(result.ending == .exited(0))
        #expect(try queue.ended(.failed, "device token unreadable") == 1)
        #expect(try queue.ended(.sent) == 1)
        #expect(try queue.device(1)?.removedAt == nil)
    }

    @Test(
        "A token of before that another program's look keeps in the log is told of, and nothing waits for that"
    )
    func traces() throws {
        let (installation, queue) = try oneWake()
        let reader = try Connection(path: installation.queue, busyTimeout: .zero)
        try reader.run("UPDATE installation SET wiping = 1")
        try reader.run("BEGIN")
        _ = try reader.first("SELECT count(*) FROM devices") { _ in }
        let result = try installation.run("dispatch", ["--once"])
        #expect(result.errors.contains("traces of device tokens"), "\(result.errors)")
        #expect(try queue.ended(.sent) == 1)
        try reader.run("COMMIT")
        #expect(try !installation.run("dispatch", ["--once"]).errors.contains("traces of device tokens"))
    }
}
