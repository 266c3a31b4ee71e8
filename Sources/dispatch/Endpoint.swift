internal import APNs

/// Where a lane connects to; the certificate must carry the host's name.
struct Endpoint: Equatable, Sendable {
    var host: String
    var port: UInt16
    /// What stands in `:authority`.
    var authority: String { port == 443 ? host : "\(host):\(port)" }

    /// Apple's server for an environment, unless a test moved it.
    ///
    /// - Parameters:
    ///   - environment: which service.
    ///   - port: 443, or Apple's second port 2197.
    ///   - moved: the value of DOORBELL_APNS_HOST, `production=127.0.0.1:8443,sandbox=127.0.0.1:8444`.
    static func of(_ environment: Environment, port: UInt16, moved: String?) throws(Malformed) -> Endpoint {
        for item in (moved ?? "").split(separator: ",") {
            let (name, address) = try halves(item, "=")
            let (host, number) = try halves(address, ":")
            guard let port = UInt16(number), !host.isEmpty, Environment(rawValue: String(name)) != nil else {
                throw Malformed()
            }
            if name == environment.rawValue {
                return Endpoint(host: String(host), port: port)
            }
        }
        return Endpoint(host: environment.hostName, port: port)
    }

    /// The variable isn't of the form it must have.
    struct Malformed: Error, Equatable, CustomStringConvertible {
        var description: String {
            "DOORBELL_APNS_HOST: must look like production=HOST:PORT,sandbox=HOST:PORT"
        }
    }

    private static func halves(_ text: Substring, _ separator: Character) throws(Malformed) -> (
        Substring, Substring
    ) {
        guard let index = text.lastIndex(of: separator) else { throw Malformed() }
        return (text[..<index], text[text.index(after: index)...])
    }
}
