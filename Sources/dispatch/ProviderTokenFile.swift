internal import APNs
internal import Glibc
internal import JSON
internal import Posix

/// Keeps the provider token over restarts, so that a program started often doesn't mint often.
///
/// The token is worth something for an hour: mode 0600, in the state directory. There is one, the last: who goes to
/// another key and back within 20 minutes has a token signed that Apple may find one too many.
struct ProviderTokenFile {
    let path: String
    /// Tells apart keys, key ids and teams; a token of another one is of no use.
    let fingerprint: String

    /// The token kept last, if it was signed with the same key; anything else is as if there were none.
    func load() -> ProviderToken? {
        guard let bytes = try? ReplacedFile.read(path, upTo: 4096), let value = try? JSONParser.parse(bytes),
            value["fingerprint"]?.string == fingerprint, let text = value["token"]?.string,
            let issuedAt = value["iat"]?.integer
        else { return nil }
        var token = ProviderToken(text: text, issuedAt: issuedAt)
        if let bootID = value["boot"]?.string, let minted = value["minted"]?.integer {
            token.minting = ProviderToken.Minting(bootID: bootID, at: .milliseconds(minted))
        }
        return token
    }

    /// Keeps a token.
    func save(_ token: ProviderToken) throws(SystemCallError) {
        var text = JSONText()
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
        try ReplacedFile.write(text.bytes, to: path, mode: 0o600)
    }
}
