import Foundation
import HTTP2
import TLS

@testable import APNsSimulatorCommand

/// A provider of pushes: makes tokens and requests that Apple would take, for tests to spoil.
struct Provider {
    let key: SigningKey

    /// A provider with a key of its own, or with the one in a file.
    init(keyFile: String? = nil) throws {
        key =
            if let keyFile {
                try SigningKey(pem: Array(Data(contentsOf: URL(fileURLWithPath: keyFile))))
            } else {
                try SigningKey.generate()
            }
    }

    static let goodHeader = #"{"alg":"ES256","kid":"SIMULATOR1"}"#

    /// An `authorization` value over these texts; `sign` makes the signature.
    func bearer(
        header: String = goodHeader, claims: String, sign: ((SigningKey, [UInt8]) throws -> [UInt8])? = nil
    ) throws -> String {
        let signed = base64URL(Array(header.utf8)) + "." + base64URL(Array(claims.utf8))
        let signature = try sign?(key, Array(signed.utf8)) ?? key.sign(Array(signed.utf8))
        return "bearer \(signed).\(base64URL(signature))"
    }

    /// A good `authorization` value, issued at this time in seconds.
    func bearer(issuedAt seconds: Int64) throws -> String {
        try bearer(claims: #"{"iss":"SIMULATEAM","iat":\#(seconds)}"#)
    }

    /// A request that is good in every respect.
    func request(issuedAt seconds: Int64, deviceToken: String = Provider.deviceToken) throws -> PushRequest {
        PushRequest(
            headers: [
                HeaderField(":method", "POST"), HeaderField(":scheme", "https"),
                HeaderField(":path", "/3/device/\(deviceToken)"),
                HeaderField(":authority", "api.push.apple.com"),
                HeaderField("authorization", try bearer(issuedAt: seconds)),
                HeaderField("apns-topic", "com.example.Mail"), HeaderField("apns-push-type", "alert"),
                HeaderField("apns-priority", "10"), HeaderField("apns-expiration", "1790000000"),
                HeaderField("apns-id", "123e4567-e89b-12d3-a456-426614174000"),
                HeaderField("apns-collapse-id", "INBOX:4271"),
            ], body: Array(#"{"aps":{"alert":"New mail"}}"#.utf8))
    }

    static let deviceToken = String(repeating: "0f", count: 32)
}

/// Base64 as web tokens have it (RFC 7515 section 2).
func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString()
        .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        .replacingOccurrences(of: "=", with: "")
}

extension PushRequest {
    /// This request with a field's value changed, added or, for nil, taken away.
    func with(_ name: String, _ value: String?) -> PushRequest {
        var request = self
        if let index = headers.firstIndex(where: { $0.name == name }) {
            if let value { request.headers[index].value = value } else { request.headers.remove(at: index) }
        } else if let value {
            request.headers.append(HeaderField(name, value))
        }
        return request
    }

    /// This request with another payload.
    func with(body: String) -> PushRequest {
        var request = self
        request.body = Array(body.utf8)
        return request
    }
}
