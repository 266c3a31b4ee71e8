import Foundation
import JSON
import Posix
import Queue
import TestSupport
import Testing

@Suite("dispatch starts, or says why not")
struct StartTests {
    @Test("A key that the group can read is refused with exit 78 and the key's name")
    func exposedKey() throws {
        let installation = try Installation()
        chmod(installation.apple.keyFile, 0o640)
        let result = try installation.run("dispatch", ["--once"])
        #expect(result.ending == .exited(78))
        let line = try String(contentsOfFile: installation.configuration, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.hasPrefix("key_file") }
        let place = "\(installation.configuration):\(try #require(line) + 1):"
        #expect(result.errors.contains(place), "\(result.errors)")
        #expect(result.errors.contains("push.key_file: \(installation.apple.keyFile): can be read by others"))
        #expect(result.errors.contains("chmod"))
    }

    @Test(
        "A place that other users could get at, or that is missing, is refused with path, fault and command",
        arguments: [
            ("state", 0o2775, 77, "lets other users in; as root: chmod o-rwx"),
            ("state/doorbell.db", 0o666, 77, "can be written by every user; as root: chmod o-w"),
            ("state/provider-token.json", 0o602, 77, "can be written by every user; as root: chmod o-w"),
            ("doorbell.toml", 0o664, 78, "can be written by others than its owner; as root: chmod go-w"),
            ("state", nil, 73, "is missing; as root: install -d -m 2770 -o doorbell -g doorbell"),
        ] as [(String, mode_t?, Int32, String)])
    func unsafePlaces(name: String, mode: mode_t?, code: Int32, fault: String) throws {
        let (installation, _) = try oneWake()
        #expect(try installation.run("dispatch", ["--once"]).ending == .exited(0))
        let path = installation.directory.file(name)
        if let mode { chmod(path, mode) } else { rename(path, path + "-away") }
        let result = try installation.run("dispatch", ["--once"])
        #expect(result.ending == .exited(code))
        #expect(result.errors.hasSuffix("\(fault) \(path)\n"), "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    @Test(
        "Started by root it is root no more where the queue is a service's, with no capability", Requires.root
    )
    func becomesOwner() throws {
        let (installation, _) = try oneWake()
        for name in ["", "/state", "/state/doorbell.db", "/state/doorbell.key", "/metrics"] {
            chown(installation.directory.path + name, 65_534, 65_533)
        }
        chown(installation.apple.keyFile, 65_534, 65_533)
        // The service has to reach them as well.
        for name in ["", "/apple"] { chmod(installation.directory.path + name, 0o711) }
        let dispatch = try installation.start("dispatch")
        try dispatch.waitForLine(containing: ": sent, accepted")
        let path = "/proc/\(dispatch.processIdentifier)/status"
        let status = try String(contentsOfFile: path, encoding: .utf8)
        for line in [
            "Uid:\t65534\t65534\t65534\t65534", "Gid:\t65533\t65533\t65533\t65533", "NoNewPrivs:\t1",
            "Umask:\t0007",
            "CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000",
            "CapAmb:\t0000000000000000",
        ] { #expect(status.contains(line + "\n"), "\(line)") }
        #expect(!dispatch.errors.contains("as root"))
    }

    @Test(
        "Where the queue is root's it stays root and says so, with the command that changes it", Requires.root
    )
    func root() throws {
        let (installation, _) = try oneWake()
        let result = try installation.run("dispatch", ["--once"])
        #expect(result.ending == .exited(0))
        let state = installation.directory.file("state")
        let line =
            "runs as root, to whom \(state) belongs, and needs no root; as root: chown -R doorbell:doorbell \(state)\n"
        #expect(result.errors.contains(line))
    }

    @Test("A CA file that isn't there is refused with exit 78, file, line and key")
    func missingCA() throws {
        let installation = try Installation()
        let text = try String(contentsOfFile: installation.configuration, encoding: .utf8)
        try installation.directory.write(
            "doorbell.toml", text.replacing("topic =", with: "ca_file = \"/nonexistent.pem\"\ntopic ="))
        let result = try RunningProgram.run(
            try BuiltProgram.path("dispatch"), ["--config", installation.configuration, "--once"],
            environment: ["PATH": "/usr/bin:/bin"])
        #expect(result.ending == .exited(78))
        #expect(result.errors.contains("push.ca_file: /nonexistent.pem"), "\(result.errors)")
    }

    @Test(
        "Hazard 80: a proxy that the environment names isn't used, and a line says so",
        arguments: ["HTTPS_PROXY", "all_proxy"])
    func proxy(name: String) throws {
        let (installation, queue) = try oneWake()
        var environment = installation.environment
        environment[name] = "http://127.0.0.1:9"
        let result = try RunningProgram.run(
            try BuiltProgram.path("dispatch"), ["--config", installation.configuration, "--once"],
            environment: environment)
        #expect(result.errors.contains("\(name) is set and not used"), "\(result.errors)")
        #expect(try queue.ended(.sent) == 1)
    }

    @Test("A wrong [push] is refused with file, line, key and fault")
    func wrongPush() throws {
        let installation = try Installation(push: "[push]\nenabled = true\nenvironment = \"moon\"")
        let result = try installation.run("dispatch", ["--once"])
        #expect(result.ending == .exited(78))
        #expect(result.errors.contains("\(installation.configuration):"))
        #expect(result.errors.contains("push."))
    }

    @Test(
        "Without [push], and with it disabled, it runs, says so and drops what has waited too long",
        arguments: ["", "[push]\nenabled = false"])
    func pushOff(push: String) throws {
        let installation = try Installation(push: push, queue: "max_age = \"1s\"")
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        try queue.insert(at: WallTime.now.advanced(by: .seconds(-5)))
        let dispatch = try installation.start("dispatch")
        try dispatch.waitForLine(containing: "push is off")
        try dispatch.waitForLine(containing: "1 wakes ended by age")
        #expect(try queue.ended(.dropped, "push_off") == 1)
        #expect(installation.apple.requests.isEmpty)
        dispatch.send(SIGTERM)
        #expect(try dispatch.waitForEnd() == .exited(0))
    }

    @Test("With push off --once ends too")
    func pushOffOnce() throws {
        let (installation, queue) = try oneWake(push: "")
        #expect(try installation.run("dispatch", ["--once"]).ending == .exited(0))
        #expect(try queue.store.counts(now: .now).waiting == 1)
    }

    @Test(
        "SIGHUP that turns push off while a request is open: --once ends with its answer, and what waits goes on waiting"
    )
    func pushOffWhileOpen() throws {
        let (installation, queue) = try oneWake(simulator: ["--answer", "* = 200 delay=2000"])
        let dispatch = try installation.start("dispatch", ["--once"])
        try installation.apple.waitForRequests(1)
        let text = try String(contentsOfFile: installation.configuration, encoding: .utf8)
        try installation.directory.write(
            "doorbell.toml", text.replacing("enabled = true", with: "enabled = false"))
        dispatch.send(SIGHUP)
        try dispatch.waitForLine(containing: "configuration read again")
        try queue.insert(first: 2)
        #expect(try dispatch.waitForEnd() == .exited(0))
        #expect(try queue.ended(.sent) == 1)
        #expect(try queue.store.counts(now: .now).waiting == 1)
    }

    @Test("A FIFO in place of the kept provider token holds nothing up")
    func tokenFIFO() throws {
        let (installation, queue) = try oneWake()
        mkfifo(installation.directory.file("state/provider-token.json"), 0o600)
        #expect(try installation.run("dispatch", ["--once"]).ending == .exited(0))
        #expect(try queue.ended(.sent) == 1)
    }

    @Test("SIGHUP takes up a changed configuration, and the provider token goes on")
    func reload() throws {
        let installation = try Installation()
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        let dispatch = try installation.start("dispatch")
        try queue.insert()
        try installation.apple.waitForRequests(1)
        let text = try String(contentsOfFile: installation.configuration, encoding: .utf8)
        try installation.directory.write(
            "doorbell.toml", text.replacing("[queue]", with: "[queue]\nexpiration = \"2h\""))
        dispatch.send(SIGHUP)
        try dispatch.waitForLine(containing: "configuration read again")
        try queue.insert(first: 2)
        let requests = try installation.apple.waitForRequests(2)
        let expiration = try #require(requests[1].header("apns-expiration").flatMap { Int64($0) })
        #expect(abs(expiration - WallTime.now.seconds - 7200) < 60)
        #expect(!dispatch.errors.contains("paused"))
        let issued = requests.map { $0.record["provider_token"]?["iat"]?.integer }
        #expect(issued[0] == issued[1])
    }

    @Test("SIGHUP with a broken configuration keeps the old one going, and doorbell status can tell why")
    func brokenReload() throws {
        let installation = try Installation()
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        let dispatch = try installation.start("dispatch")
        try dispatch.waitForLine(containing: "started")
        try installation.directory.write("doorbell.toml", "[push")
        dispatch.send(SIGHUP)
        try dispatch.waitForLine(containing: "the old one stays")
        try queue.insert()
        try installation.apple.waitForRequests(1)
        let status = try String(
            contentsOfFile: installation.directory.file("state/dispatch.status"), encoding: .utf8)
        #expect(status.contains(#""refused":"\#(installation.configuration):1:"#), "\(status)")
    }

    @Test("A restart uses the provider token of before")
    func keptToken() throws {
        let installation = try Installation()
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        var issued: [String] = []
        for uid: UInt32 in 1...2 {
            try queue.insert(first: uid)
            _ = try installation.run("dispatch", ["--once"])
            issued.append(
                try String(
                    contentsOfFile: installation.directory.file("state/provider-token.json"), encoding: .utf8)
            )
        }
        #expect(issued[0] == issued[1])
        let mode =
            try FileManager.default.attributesOfItem(
                atPath: installation.directory.file("state/provider-token.json"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("The counters are a complete textfile of mode 0644; what was put in Apple's place is told")
    func metrics() throws {
        let installation = try Installation()
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        try queue.insert(2)
        let dispatch = try installation.run("dispatch", ["--once"])
        #expect(
            dispatch.errors.contains(
                "warning: production: 127.0.0.1:\(installation.apple.port) in Apple's place (DOORBELL_APNS_HOST)\n"
            ))
        let text = try installation.metrics(of: "dispatch")
        _ = try ExpositionFormat(text)
        for line in [
            #"doorbell_dispatch_pushes_total{result="sent",reason="accepted",topic="com.example.Mail"} 2"#,
            #"doorbell_dispatch_wakes_ended_total{end="sent",reason="accepted by a stand-in"} 2"#,
            #"doorbell_dispatch_queue_depth{state="queued"} 0"#,
            #"doorbell_dispatch_enqueue_to_answer_seconds_count 2"#,
        ] {
            #expect(text.contains(line + "\n"), "\(line) missing in:\n\(text)")
        }
        let path = installation.directory.file("metrics/doorbell-dispatch.prom")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o644)
    }
}
