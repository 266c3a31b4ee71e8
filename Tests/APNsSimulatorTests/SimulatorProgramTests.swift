import Foundation
import HTTP2
import JSON
import Posix
import TLS
import TestSupport
import Testing

@testable import APNsSimulatorCommand
@testable import TLS

@Suite("The simulator as a program")
struct SimulatorProgramTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func curl(
        _ simulator: SimulatedApple, _ authorization: String, _ options: [String] = ["--http2"]
    )
        throws -> RunningProgram.Result
    {
        let host = "api.push.apple.com:\(simulator.port)"
        return try RunningProgram.run(
            "/usr/bin/curl",
            options + [
                "--silent", "--show-error", "--include", "--cacert", simulator.caFile,
                "--connect-to", "\(host):127.0.0.1:\(simulator.port)",
                "--header", "authorization: \(authorization)", "--header", "apns-topic: com.example.Mail",
                "--header", "apns-push-type: alert", "--data", #"{"aps":{"alert":"New mail"}}"#,
                "https://\(host)/3/device/\(Provider.deviceToken)",
            ])
    }

    @Test("A push by curl with a token that the openssl program has signed is taken and recorded")
    func independentClient() throws {
        let simulator = try SimulatedApple(in: directory)
        let provider = try Provider(keyFile: simulator.keyFile)
        let claims = #"{"iss":"SIMULATEAM","iat":\#(WallTime.now.seconds)}"#
        let bearer = try provider.bearer(claims: claims) { _, message in
            let text = try directory.write("message", String(decoding: message, as: UTF8.self))
            let signature = directory.file("signature")
            _ = try RunningProgram.run(
                "/usr/bin/openssl", ["dgst", "-sha256", "-sign", simulator.keyFile, "-out", signature, text])
            return try ES256Signature.raw(der: Array(Data(contentsOf: URL(fileURLWithPath: signature))))
        }
        let result = try curl(simulator, bearer)
        #expect(result.output.hasPrefix("HTTP/2 200"), "\(result)")
        let request = try #require(simulator.requests.first)
        #expect(request.status == 200)
        #expect(request.record["provider_token"]?["iss"] == .string("SIMULATEAM"))
        #expect(request.header("authorization") == "bearer (verified)")
    }

    @Test("A refused push gets Apple's status, reason and form")
    func refused() throws {
        let simulator = try SimulatedApple(in: directory)
        let result = try curl(simulator, "bearer a.b.c")
        #expect(result.output.hasPrefix("HTTP/2 403"))
        #expect(result.output.contains("\napns-id: "))
        #expect(result.output.hasSuffix(#"{"reason":"InvalidProviderToken"}"#))
    }

    @Test("A client that speaks HTTP/1.1 only is turned away, and the next is served")
    func http1() throws {
        let simulator = try SimulatedApple(in: directory)
        let result = try curl(simulator, "bearer a.b.c", ["--http1.1"])
        #expect(result.ending != .exited(0))
        try simulator.program.waitForLine(containing: "apns-simulator: connection 1: ")
        let client = try simulator.client()
        #expect(try client.waitForStatus(client.submit(simulator.request())) == "200")
    }

    @Test("A connection starts at one stream and may open more after its first 200, not after a refusal")
    func raisesLimit() throws {
        let simulator = try SimulatedApple(in: directory, ["--streams", "7"])
        let client = try simulator.client()
        try client.wait { _ in client.streamLimits.isEmpty ? nil : true }
        #expect(client.streamLimits == [1])
        let refused = try client.submit(simulator.request().with("apns-topic", nil))
        #expect(try client.waitForStatus(refused) == "400")
        // What the server had to say about the refusal comes before the answer to a PING.
        try client.http2.submitPing([1])
        try client.wait { $0.contains(.pingAcknowledged([1, 0, 0, 0, 0, 0, 0, 0])) ? true : nil }
        #expect(client.streamLimits == [1])
        let accepted = try client.submit(simulator.request())
        #expect(try client.waitForStatus(accepted) == "200")
        try client.wait { _ in client.streamLimits.count > 1 ? true : nil }
        #expect(client.streamLimits == [1, 7])
    }

    @Test("Answers that are held back keep their streams open, and later requests overtake them")
    func heldBack() throws {
        let simulator = try SimulatedApple(in: directory, ["--answer", "aa = 200 delay=3600000"])
        let client = try simulator.client()
        #expect(try client.waitForStatus(client.submit(simulator.request())) == "200")
        let held = try simulator.request(String(repeating: "aa", count: 32))
        for _ in 0..<99 { try client.submit(held) }
        let last = try client.submit(simulator.request())
        #expect(try client.waitForStatus(last) == "200")
        #expect(try simulator.waitForRequests(101).last?.openStreams == 100)
    }

    @Test("An answer that is held back comes when its time has come")
    func delayed() throws {
        let simulator = try SimulatedApple(in: directory, ["--answer", "* = 429 retry-after=5 delay=50"])
        let client = try simulator.client()
        let start = BootClock.now
        #expect(try client.waitForStatus(client.submit(simulator.request())) == "429")
        #expect(BootClock.now - start >= .milliseconds(50))
    }

    @Test("A script file answers each device token step by step, with a 410's timestamp")
    func scripted() throws {
        let file = try directory.write(
            "script", "# a phone that goes\n0f = 503, 410 timestamp=1790000000000\n")
        let simulator = try SimulatedApple(in: directory, ["--script", file])
        let client = try simulator.client()
        #expect(try client.waitForStatus(client.submit(simulator.request())) == "503")
        let gone = try client.submit(simulator.request())
        #expect(try client.waitForStatus(gone) == "410")
        let body = client.events.flatMap { if case .data(gone, let piece) = $0 { piece } else { [UInt8]() } }
        #expect(body == Array(#"{"reason":"Unregistered","timestamp":1790000000000}"#.utf8))
    }

    @Test("The apns-id is echoed, or invented where there is none")
    func notificationID() throws {
        let simulator = try SimulatedApple(in: directory)
        let client = try simulator.client()
        func answeredID(_ request: PushRequest) throws -> String? {
            let stream = try client.submit(request)
            _ = try client.waitForStatus(stream)
            return client.events.lazy.compactMap { event in
                if case .headers(stream, let fields) = event { fields["apns-id"] } else { nil }
            }.first
        }
        let request = try simulator.request()
        #expect(try answeredID(request) == request.headers["apns-id"])
        let invented = try #require(try answeredID(request.with("apns-id", nil)))
        #expect(EchoedID.isCanonical(invented))
    }

    @Test("Its files are its owner's, and stay for the next run")
    func files() throws {
        func contents(_ simulator: SimulatedApple) throws -> [Data] {
            try [simulator.caFile, simulator.keyFile].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        }
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        let first = try SimulatedApple(in: directory)
        #expect(try mode(directory.file("apple")) == 0o700)
        #expect(try mode(first.keyFile) == 0o600)
        #expect(try mode(directory.file("apple/server.key")) == 0o600)
        let second = try SimulatedApple(in: directory)
        #expect(try contents(first) == contents(second))
        let client = try second.client()
        #expect(try client.waitForStatus(client.submit(second.request())) == "200")
    }

    @Test("SIGTERM ends it at once with exit code 0, whatever is open", arguments: [SIGTERM, SIGINT])
    func stopping(signal: Int32) throws {
        let simulator = try SimulatedApple(in: directory, ["--answer", "* = 200 delay=3600000"])
        let client = try simulator.client()
        try client.submit(simulator.request())
        try client.wait { _ in client.streamLimits.isEmpty ? nil : true }
        try simulator.program.waitForLine(containing: #""event":"request""#)
        simulator.program.send(signal)
        #expect(try simulator.program.waitForEnd(within: 5) == .exited(0))
    }

    @Test("It ends with 74 when nobody reads its records any more")
    func lostOutput() throws {
        let script = #"{ "$0" --port 0 --directory "$1"; echo ended $? >&2; } | head -n 1"#
        let shell = try RunningProgram(
            "/bin/sh", ["-c", script, BuiltProgram.path("apns-simulator"), directory.file("apple")])
        try shell.waitForLine(containing: "ended 74")
        #expect(shell.output.contains("listening"))
        #expect(shell.errors.contains("apns-simulator: poll standard output: Broken pipe"))
    }

    @Test("A client that sends rubbish is let go, and others don't notice")
    func rubbish() throws {
        let simulator = try SimulatedApple(in: directory)
        let client = try simulator.client()
        let rubbish = try TestClient.connected(UInt16(simulator.port))
        try rubbish.writeAll(Array("GET / HTTP/1.0\r\n\r\n".utf8))
        try simulator.program.waitForLine(containing: "apns-simulator: connection 2: ")
        #expect(try client.waitForStatus(client.submit(simulator.request())) == "200")
    }

    @Test("A client that floods it with frames without meaning doesn't keep others waiting")
    func flood() throws {
        let simulator = try SimulatedApple(in: directory)
        let (port, caFile) = (UInt16(simulator.port), simulator.caFile)
        let begun = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            signal(SIGPIPE, SIG_IGN)
            try? TestClient(port: port, caFile: caFile).flood { begun.signal() }
        }
        #expect(begun.wait(timeout: .now() + 30) == .success)
        let client = try simulator.client()
        #expect(try client.waitForStatus(client.submit(simulator.request())) == "200")
    }

    @Test("Without descriptors for more it says so, serves those it has, and takes the others later")
    func tooManyOpenFiles() throws {
        let simulator = try SimulatedApple(in: directory)
        let limited = try RunningProgram.run(
            "/usr/bin/prlimit", ["--pid", "\(simulator.program.processIdentifier)", "--nofile=16"])
        #expect(limited.ending == .exited(0))
        let client = try simulator.client()
        do {
            let crowd = try (0..<20).map { _ in
                Crowded(socket: try TestClient.connected(UInt16(simulator.port)))
            }
            try simulator.program.waitForLine(
                containing: "accept 127.0.0.1:\(simulator.port): Too many open files")
            #expect(try client.waitForStatus(client.submit(simulator.request())) == "200")
            withExtendedLifetime(crowd) {}
        }
        let late = try simulator.client()
        #expect(try late.waitForStatus(late.submit(simulator.request())) == "200")
    }

    /// An array can't hold what can't be copied.
    private final class Crowded {
        let socket: FileDescriptor
        init(socket: consuming FileDescriptor) { self.socket = socket }
    }
}
