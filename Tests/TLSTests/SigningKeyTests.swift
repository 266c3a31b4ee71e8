import Foundation
import TestSupport
import Testing

@testable import TLS

@Suite("ES256")
struct SigningKeyTests {
    @Test("A signature is 64 bytes and valid for its message only")
    func signature() throws {
        let key = try SigningKey.generate()
        let message = Array("header.claims".utf8)
        // About every 128th r or s is short; 300 signatures see some.
        for _ in 0..<300 {
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(try key.publicKey.isValid(signature, of: message))
        }
        let signature = try key.sign(message)
        #expect(try !key.publicKey.isValid(signature, of: message + [0]))
        #expect(try !SigningKey.generate().publicKey.isValid(signature, of: message))
    }

    @Test("Short numbers of a DER signature are padded on the left")
    func padding() throws {
        let raw = try ES256Signature.raw(der: [0x30, 6, 2, 1, 1, 2, 1, 2])
        #expect(raw == [UInt8](repeating: 0, count: 31) + [1] + [UInt8](repeating: 0, count: 31) + [2])
    }

    @Test("The zero that DER puts before a high bit goes")
    func leadingZero() throws {
        let high = [UInt8](repeating: 0xFF, count: 32)
        let raw = try ES256Signature.raw(der: [0x30, 38, 2, 33, 0] + high + [2, 1, 2])
        #expect(raw.prefix(32) == high[...])
        #expect(ES256Signature.der(raw: raw) == [0x30, 38, 2, 33, 0] + high + [2, 1, 2])
    }

    @Test(
        "What isn't a DER signature on P-256 throws",
        arguments: [
            [], [0x30, 6, 2, 1, 1], Array("nonsense".utf8),
            [0x30, 38, 2, 33] + [UInt8](repeating: 1, count: 33) + [2, 1, 2],
        ])
    func notDER(bytes: [UInt8]) {
        #expect(throws: TLSError.self) { try ES256Signature.raw(der: bytes) }
    }

    @Test("A DER signature is not valid: only the 64-byte form is")
    func derRefused() throws {
        let key = try SigningKey.generate()
        let der = try #require(ES256Signature.der(raw: try key.sign([1, 2, 3])))
        #expect(try !key.publicKey.isValid(der, of: [1, 2, 3]))
    }

    @Test("A key survives its PEM text")
    func pem() throws {
        let key = try SigningKey.generate()
        let again = try SigningKey(pem: key.pem)
        #expect(try key.publicKey.isValid(again.sign([1]), of: [1]))
        #expect(try String(decoding: key.pem, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    }

    @Test("The openssl program verifies our signature, and we its")
    func openssl() throws {
        let directory = try TemporaryDirectory()
        let key = try SigningKey.generate()
        let message = try directory.write("message", "header.claims")
        let secret = try directory.write("key.pem", String(decoding: key.pem, as: UTF8.self), mode: 0o600)
        let open = try directory.write("public.pem", String(decoding: key.publicKey.pem, as: UTF8.self))
        let ours = directory.file("ours")
        let der = try #require(ES256Signature.der(raw: try key.sign(Array("header.claims".utf8))))
        try Data(der).write(to: URL(fileURLWithPath: ours))
        let verified = try RunningProgram.run(
            "/usr/bin/openssl", ["dgst", "-sha256", "-verify", open, "-signature", ours, message])
        #expect(verified.output == "Verified OK\n")

        let theirs = directory.file("theirs")
        let signed = try RunningProgram.run(
            "/usr/bin/openssl", ["dgst", "-sha256", "-sign", secret, "-out", theirs, message])
        #expect(signed.ending == .exited(0))
        let raw = try ES256Signature.raw(der: Array(Data(contentsOf: URL(fileURLWithPath: theirs))))
        #expect(try key.publicKey.isValid(raw, of: Array("header.claims".utf8)))
    }

    @Test(
        "A key that ES256 can't use is refused, saying why and without a word of the key",
        arguments: [
            (["-algorithm", "RSA"], "P-256"),
            (["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"], "P-256"),
            (
                ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-aes256", "-pass", "pass:x"],
                "password"
            ),
        ])
    func unusable(options: [String], reason: String) throws {
        let pem = try RunningProgram.run("/usr/bin/openssl", ["genpkey"] + options).output
        let error = #expect(throws: TLSError.self) { try SigningKey(pem: Array(pem.utf8)) }
        let text = "\(try #require(error))"
        #expect(text.contains(reason))
        #expect(!text.contains(pem.split(separator: "\n")[1].prefix(8)))
    }

    @Test(
        "Text that is no key is refused",
        arguments: ["", "hello\n", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n"])
    func noKey(text: String) throws {
        let error = #expect(throws: TLSError.self) { try SigningKey(pem: Array(text.utf8)) }
        #expect("\(try #require(error))".hasPrefix("not a private key in PEM form"))
    }

    @Test("The authority's certificate chain is one that the openssl program accepts")
    func chain() throws {
        let directory = try TemporaryDirectory()
        let issued = try ThrowAwayAuthority.issue(hostNames: ["localhost", "127.0.0.1"])
        let authority = try directory.write("ca.pem", String(decoding: issued.authorityPEM, as: UTF8.self))
        let certificate = try directory.write(
            "cert.pem", String(decoding: issued.certificatePEM, as: UTF8.self))
        for name in [["-verify_hostname", "localhost"], ["-verify_ip", "127.0.0.1"]] {
            let result = try RunningProgram.run(
                "/usr/bin/openssl",
                ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", authority] + name + [
                    certificate
                ])
            #expect(result.ending == .exited(0), "\(result.errors)")
        }
    }
}
