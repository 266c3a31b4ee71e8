internal import APNs
internal import Settings
internal import Posix
internal import TLS

/// All that sending needs besides a queue: the key, its tokens, and how to reach Apple.
final class Provider {
    /// Moves Apple's hosts and trust, in tests and rehearsals only: never by configuration.
    struct Overrides {
        /// DOORBELL_APNS_HOST.
        var host: String?
        /// DOORBELL_APNS_CA, a PEM file.
        var certificateAuthority: String?
    }

    /// Why nothing can be sent, where it isn't the configuration's fault.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// What connections trust and speak.
    let context: TLSContext
    /// Whose tokens these are, `TEAM/KEY`: what Apple said about a device was said to them.
    let identity: String
    private let endpoints: [Environment: Endpoint]
    private let key: SigningKey
    private let file: ProviderTokenFile
    private var tokens: ProviderTokenMachine

    /// Loads the key and what else `[push]` names.
    ///
    /// - Parameters:
    ///   - push: the configuration.
    ///   - tokenFile: where the provider token is kept.
    ///   - overrides: from the environment.
    ///   - previous: what this one replaces; with the same key its token goes on.
    ///   - clocks: for the age of the token kept.
    init(
        push: Configuration.Push, tokenFile: String, overrides: Overrides, previous: Provider?,
        clocks: Clocks
    ) throws {
        do throws(SecretFile.Failure) {
            key = try SigningKeyFile.load(push.keyFile.path)
        } catch {
            throw push.keyFile.fault(error.fault)
        }
        do throws(TLSError) {
            context = try TLSContext.client(caFile: overrides.certificateAuthority ?? push.caFile?.path)
        } catch {
            if overrides.certificateAuthority == nil, let file = push.caFile { throw file.fault("\(error)") }
            throw Failure(description: "certificates to trust: \(error)")
        }
        endpoints = try Environment.allCases.reduce(into: [:]) { endpoints, environment in
            endpoints[environment] = try Endpoint.of(environment, port: push.port, moved: overrides.host)
        }
        identity = "\(push.teamID)/\(push.keyID)"
        let signer = try Array("\(push.teamID) \(push.keyID) ".utf8) + key.publicKey.pem
        file = ProviderTokenFile(path: tokenFile, fingerprint: hexadecimalText(Hash.sha256(signer)))
        if let previous, previous.file.fingerprint == file.fingerprint {
            tokens = previous.tokens
        } else {
            tokens = ProviderTokenMachine(
                keyID: push.keyID, teamID: push.teamID, kept: file.load(), bootID: BootClock.bootID,
                now: clocks.boot())
        }
    }

    /// Where an environment's connections go.
    func endpoint(of environment: Environment) -> Endpoint? { endpoints[environment] }

    /// Who stands in for Apple there, as HOST:PORT; nil: nobody.
    func standIn(for environment: Environment) -> String? {
        endpoints[environment].flatMap { $0.host == environment.hostName ? nil : "\($0.host):\($0.port)" }
    }

    /// The provider token for a request, signed anew when it is time.
    ///
    /// - Parameter log: told when the new token couldn't be kept for the next process.
    func token(_ clocks: Clocks, unkept: (SystemCallError) -> Void) throws(TLSError) -> String {
        switch tokens.token(now: clocks.boot(), wallSeconds: clocks.wall().seconds) {
        case .use(let text): return text
        case .sign(let unsigned):
            let signature = try key.sign(unsigned.message)
            let token = tokens.signed(unsigned, with: signature, now: clocks.boot())
            do throws(SystemCallError) { try file.save(token) } catch { unkept(error) }
            return token.text
        }
    }

    /// Apple refused a token; whether `token` gives another one from now on, or the same for want of time.
    func refused(_ token: String, _ clocks: Clocks) -> Bool {
        tokens.refused(token, now: clocks.boot(), wallSeconds: clocks.wall().seconds)
    }

    /// How long it takes until a new token may be signed.
    func waitForNewToken(_ clocks: Clocks) -> Duration {
        tokens.waitForNew(now: clocks.boot(), wallSeconds: clocks.wall().seconds)
    }
}
