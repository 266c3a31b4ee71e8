import APNs
import Posix
import Settings
import TLS
import TestSupport
import Testing

@testable import DispatchCommand

@Suite("Provider")
struct ProviderTests {
    /// Both clocks, set by hand.
    private final class Time {
        var boot = Duration.seconds(1000)
        var wall = WallTime(milliseconds: 1_790_000_000_000)

        var clocks: Clocks {
            Clocks(boot: { self.boot }, wall: { self.wall }, jitter: { 0 }, wait: Clocks.system.wait)
        }

        func pass(seconds: Int64) {
            boot += .seconds(seconds)
            wall = wall.advanced(by: .seconds(seconds))
        }
    }

    private let directory: TemporaryDirectory
    private let push: Configuration.Push
    private let otherPush: Configuration.Push
    private let time = Time()

    init() throws {
        directory = try TemporaryDirectory()
        push = try Self.push("ABC123DEFG", directory)
        otherPush = try Self.push("HIJ456KLMN", directory)
    }

    /// A configuration with a key of its own.
    private static func push(_ keyID: String, _ directory: TemporaryDirectory) throws -> Configuration.Push {
        let pem = String(decoding: try SigningKey.generate().pem, as: UTF8.self)
        let key = try directory.write("\(keyID).p8", pem, mode: 0o400)
        let file = try directory.write(
            "doorbell.toml",
            """
            [push]
            enabled = true
            key_file = "\(key)"
            key_id = "\(keyID)"
            team_id = "ZCNAX3VL9D"
            topic = "com.example.Mail"
            """)
        return try #require(try Configuration.load(file).push)
    }

    private var tokenFile: String { directory.file("provider-token.json") }

    private func provider(_ other: Configuration.Push? = nil, previous: Provider? = nil) throws -> Provider {
        try Provider(
            push: other ?? push, tokenFile: tokenFile, overrides: Provider.Overrides(), previous: previous,
            clocks: time.clocks)
    }

    private func token(_ provider: Provider) throws -> String {
        try provider.token(time.clocks) { Issue.record("not kept: \($0)") }
    }

    @Test("It is known by team and key")
    func identity() throws { #expect(try provider().identity == "ZCNAX3VL9D/ABC123DEFG") }

    @Test(
        "Hazards 45 and 48: a restart goes on with the token, whatever has become of the wall clock",
        arguments: [Int64(0), 86_400, -86_400])
    func restart(jump: Int64) throws {
        let first = try token(provider())
        time.pass(seconds: 1199)
        time.wall = time.wall.advanced(by: .seconds(jump))
        #expect(try token(provider()) == first)
        time.pass(seconds: jump == 0 ? 1801 : 1)
        #expect(try token(provider()) != first)
    }

    @Test("A provider with the same key takes the token over from the one that it replaces")
    func previous() throws {
        let old = try provider()
        let first = try token(old)
        #expect(try token(provider(previous: old)) == first)
    }

    @Test(
        "Who goes to another key and back within twenty minutes has no second token signed with the first, restart or not",
        arguments: [true, false])
    func otherKeyAndBack(restarts: Bool) throws {
        let old = try provider()
        let first = try token(old)
        time.pass(seconds: 600)
        let other = try provider(otherPush, previous: restarts ? nil : old)
        let second = try token(other)
        #expect(second != first)
        time.pass(seconds: 599)
        let again = try provider(previous: restarts ? nil : other)
        #expect(try token(again) == first)
        #expect(try token(provider(otherPush, previous: restarts ? nil : again)) == second)
    }

    @Test("The tokens of the last four keys are kept")
    func bounded() throws {
        let first = try token(provider())
        let others = try ["K000000001", "K000000002", "K000000003", "K000000004"].map {
            try Self.push($0, directory)
        }
        for other in others.prefix(3) { _ = try token(provider(other)) }
        #expect(try token(provider()) == first)
        _ = try token(provider(others[3]))
        time.pass(seconds: 1)
        #expect(try token(provider()) != first)
    }

    @Test(
        "Hazard 48: a token that is refused when fresh goes on until twenty minutes have passed, restart or not"
    )
    func refusedFresh() throws {
        let old = try provider()
        let first = try token(old)
        time.pass(seconds: 60)
        #expect(!old.refused(first, time.clocks))
        #expect(old.waitForNewToken(time.clocks) == .seconds(1140))
        #expect(try token(old) == first)
        #expect(try token(provider()) == first)
        time.pass(seconds: 1140)
        #expect(try token(old) != first)
    }

    @Test("A token that is refused later makes way for another, which is kept in its place")
    func refusedLater() throws {
        let old = try provider()
        let first = try token(old)
        time.pass(seconds: 1200)
        #expect(old.refused(first, time.clocks))
        let second = try token(old)
        #expect(second != first)
        #expect(old.refused(first, time.clocks))
        #expect(try token(old) == second)
        #expect(try token(provider()) == second)
    }

    @Test("The token is kept with the boot it was signed in")
    func file() throws {
        let text = try token(provider())
        let kept = try #require(ProviderTokenFile(path: tokenFile, fingerprint: try fingerprint()).load())
        #expect(kept.text == text)
        #expect(kept.issuedAt == 1_790_000_000)
        let bootID = try #require(BootClock.bootID)
        #expect(bootID.count == 36)
        #expect(kept.minting == ProviderToken.Minting(bootID: bootID, at: .seconds(1000)))
    }

    @Test("A file without a boot, as an earlier version wrote it, is read as well")
    func earlierVersion() throws {
        try directory.write("old.json", #"{"fingerprint":"f","iat":1790000000,"token":"kept"}"#)
        #expect(
            ProviderTokenFile(path: directory.file("old.json"), fingerprint: "f").load()
                == ProviderToken(text: "kept", issuedAt: 1_790_000_000))
        #expect(ProviderTokenFile(path: directory.file("old.json"), fingerprint: "g").load() == nil)
    }

    /// The one that stands in the file.
    private func fingerprint() throws -> String {
        let text = String(decoding: try ReplacedFile.read(tokenFile, upTo: 4096), as: UTF8.self)
        return String(try #require(text.split(separator: "\"").dropFirst(3).first))
    }
}
