internal import APNs
internal import Glibc
internal import JSON
internal import Posix

/// Keeps provider tokens over restarts and changes of the key, so that a program started often doesn't mint often.
///
/// A token is worth something for an hour: mode 0600, in the state directory. The last of each of the last keys is kept:
/// who goes to another key and back within 20 minutes would have one signed that Apple may find one too many.
struct ProviderTokenFile {
    let path: String
    /// Tells apart keys, key ids and teams; a token of another one is of no use.
    let fingerprint: String

    private static let maximumKeys = 4

    /// The token kept last, if it was signed with the same key; anything else is as if there were none.
    func load() -> ProviderToken? { all().first { $0.fingerprint == fingerprint }?.token }

    /// Keeps a token, and with it the last ones of other keys.
    func save(_ token: ProviderToken) throws(SystemCallError) {
        let others = all().filter { $0.fingerprint != fingerprint }.prefix(Self.maximumKeys - 1)
        var text = JSONText()
        text.beginArray()
        for kept in [KeptToken(fingerprint: fingerprint, token: token)] + others { kept.write(to: &text) }
        text.endArray()
        try ReplacedFile.write(text.bytes, to: path, mode: 0o600)
    }

    private func all() -> [KeptToken] {
        guard let bytes = try? ReplacedFile.read(path, upTo: 16_384), let value = try? JSONParser.parse(bytes)
        else { return [] }
        // An earlier version kept one, without a list.
        return (value.array ?? [value]).compactMap { KeptToken($0) }
    }
}

/// A token in the file, and whose it is.
private struct KeptToken {
    let fingerprint: String
    let token: ProviderToken
}

extension KeptToken {
    init?(_ value: JSONValue) {
        guard let fingerprint = value["fingerprint"]?.string, let text = value["token"]?.string,
            let issuedAt = value["iat"]?.integer
        else { return nil }
        var token = ProviderToken(text: text, issuedAt: issuedAt)
        if let bootID = value["boot"]?.string, let minted = value["minted"]?.integer {
            token.minting = ProviderToken.Minting(bootID: bootID, at: .milliseconds(minted))
        }
        self.init(fingerprint: fingerprint, token: token)
    }

    func write(to text: inout JSONText) {
        text.beginObject()
        text.key("fingerprint")
        text.string(fingerprint.utf8)
        text.key("iat")
        text.integer(token.issuedAt)
        if let minting = token.minting {
            text.key("boot")
            text.string(minting.bootID.utf8)
            text.key("minted")
            text.integer(minting.at.wholeMilliseconds)
        }
        text.key("token")
        text.string(token.text.utf8)
        text.endObject()
    }
}
