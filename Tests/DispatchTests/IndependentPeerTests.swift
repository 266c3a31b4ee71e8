import Foundation
import JSON
import Posix
import Queue
import TLS
import TestSupport
import Testing

@Suite("Programs of other people agree")
struct IndependentPeerTests {
    @Test("OpenSSL's command line verifies the provider token")
    func providerToken() throws {
        let (installation, _) = try oneWake()
        _ = try installation.run("dispatch", ["--once"])
        let kept = try JSONParser.parse(
            Array(
                try Data(
                    contentsOf: URL(fileURLWithPath: installation.directory.file("state/provider-token.json"))
                )))
        let parts = try #require(kept.array?.first?["token"]?.string).split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        let signature = try #require(decoded(parts[2]))
        #expect(signature.count == 64)
        // OpenSSL wants the two numbers in DER, which it builds itself from their hexadecimal digits.
        let numbers = [signature.prefix(32), signature.suffix(32)].map {
            $0.map { String(format: "%02X", $0) }.joined()
        }
        let directory = installation.directory
        try directory.write(
            "signature.conf",
            "asn1=SEQUENCE:numbers\n[numbers]\nr=INTEGER:0x\(numbers[0])\ns=INTEGER:0x\(numbers[1])\n")
        try directory.write("message", "\(parts[0]).\(parts[1])")
        try openssl(
            "asn1parse", "-genconf", directory.file("signature.conf"), "-out",
            directory.file("signature.der"),
            "-noout")
        try openssl(
            "pkey", "-in", installation.apple.keyFile, "-pubout", "-out", directory.file("public.pem"))
        let verdict = try openssl(
            "dgst", "-sha256", "-verify", directory.file("public.pem"), "-signature",
            directory.file("signature.der"), directory.file("message"))
        #expect(verdict.contains("Verified OK"))
        let claims = try JSONParser.parse(Array(try #require(decoded(parts[1]))))
        #expect(claims["iss"]?.string == installation.apple.teamID)
        #expect(abs((claims["iat"]?.integer ?? 0) - WallTime.now.seconds) < 60)
    }

    @Test("nginx takes the pushes: 200 and 410 by location")
    func nginx() throws {
        let installation = try Installation()
        let nginx = try Nginx(in: installation.directory, hostName: "127.0.0.1")
        defer { nginx.program.send(SIGTERM) }
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        let gone = try queue.register(0xB2)
        try queue.insert(20)
        let result = try RunningProgram.run(
            try BuiltProgram.path("dispatch"), ["--config", installation.configuration, "--once"],
            environment: nginx.environment)
        #expect(result.ending == .exited(0))
        #expect(try queue.ended(.sent) == 20)
        #expect(try queue.device(gone)?.removedReason == "Unregistered")
        #expect(try queue.store.counts(now: .now).queued == 0)
    }

    @discardableResult
    private func openssl(_ arguments: String...) throws -> String {
        let result = try RunningProgram.run("/usr/bin/openssl", arguments)
        #expect(result.ending == .exited(0), "openssl \(arguments): \(result.errors)")
        return result.output
    }

    private func decoded(_ base64URL: String) -> [UInt8]? {
        let text = base64URL.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)).map(
            Array.init)
    }
}
