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
        let installation = try Installation()
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        try queue.insert()
        _ = try installation.run("dispatch", ["--once"])
        let kept = try JSONParser.parse(
            Array(
                try Data(
                    contentsOf: URL(fileURLWithPath: installation.directory.file("state/provider-token.json"))
                )))
        let parts = try #require(kept["token"]?.string).split(separator: ".").map(String.init)
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
        let port = try freePort()
        let nginx = try startNginx(in: installation.directory, port: port)
        defer { nginx.send(SIGTERM) }
        let queue = try TestQueue(installation)
        try queue.register(0xA1)
        let gone = try queue.register(0xB2)
        try queue.insert(20)
        var environment = installation.environment
        environment["DOORBELL_APNS_HOST"] = "production=127.0.0.1:\(port)"
        environment["DOORBELL_APNS_CA"] = installation.directory.file("nginx-ca.pem")
        let result = try RunningProgram.run(
            try BuiltProgram.path("dispatch"), ["--config", installation.configuration, "--once"],
            environment: environment)
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

    private func startNginx(in directory: TemporaryDirectory, port: Int) throws -> RunningProgram {
        let issued = try ThrowAwayAuthority.issue(hostNames: ["127.0.0.1"])
        for (name, pem) in [
            ("nginx-ca.pem", issued.authorityPEM), ("nginx.pem", issued.certificatePEM),
            ("nginx.key", issued.keyPEM),
        ] {
            try directory.write(name, String(decoding: pem, as: UTF8.self), mode: 0o600)
        }
        try directory.write(
            "nginx.conf",
            """
            daemon off;
            pid \(directory.file("nginx.pid"));
            error_log stderr notice;
            events { }
            http {
                access_log off;
                client_body_temp_path \(directory.file("nginx-body"));
                server {
                    listen 127.0.0.1:\(port) ssl http2;
                    ssl_certificate \(directory.file("nginx.pem"));
                    ssl_certificate_key \(directory.file("nginx.key"));
                    location /3/device/a1 { return 200; }
                    location /3/device/b2 {
                        default_type application/json;
                        return 410 '{"reason":"Unregistered","timestamp":\(WallTime.now.milliseconds + 60_000)}';
                    }
                }
            }
            """)
        let nginx = try RunningProgram(
            "/usr/sbin/nginx", ["-p", directory.path, "-c", directory.file("nginx.conf")])
        try nginx.waitForLine(containing: "start worker process")
        return nginx
    }

    private func freePort() throws -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 ? getsockname(socket, $0, &length) : -1
            }
        }
        try #require(status == 0)
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
