import Foundation
import TestSupport

extension Site {
    /// How the master user is let in.
    static let masterEntry = "doorbell:{PLAIN}of doorbell::::::allow_nets=127.0.0.1/32,local"

    /// Has dispatch ask Dovecot, which includes `dovecot/master-user.conf` where it is asked over IMAP.
    ///
    /// - Parameters:
    ///   - imap: the port of IMAP, or nil.
    ///   - socket: a socket where IMAP is instead.
    ///   - domain: what Dovecot's names end with.
    ///   - entry: what Dovecot has of the master user.
    ///   - doveadm: the port of doveadm's interface, or nil.
    ///   - bound: how long a wake waits for its uid; nil: as it does by itself.
    func ask(
        imap: Int? = nil, socket: String? = nil, doveadm: Int? = nil, bound: String? = nil,
        domain: String? = nil, entry: String = masterEntry
    ) throws {
        var section = "\n[dovecot]\n"
        if let place = socket ?? imap.map({ "127.0.0.1:\($0)" }) {
            try directory.write("etc/dovecot/doorbell.master", entry + "\n")
            let file = try secret("dovecot.password", "of doorbell")
            section += """
                imap = "\(place)"
                master_user = "doorbell"
                password_file = "\(file)"

                """
        }
        if let doveadm {
            let file = try secret("doveadm.key", "secret")
            section += "doveadm = \"127.0.0.1:\(doveadm)\"\napi_key_file = \"\(file)\"\n"
        }
        if let domain { section += "domain = \"\(domain)\"\n" }
        if let bound { section += "bound = \"\(bound)\"\n" }
        let text = try String(contentsOfFile: configuration, encoding: .utf8)
        try text.appending(section).write(toFile: configuration, atomically: false, encoding: .utf8)
    }

    /// The bound, in seconds, of the highest bucket in which dispatch counted a wait for a uid.
    func longestResolution() throws -> Double {
        let file = directory.file("var/lib/doorbell-metrics/doorbell-dispatch.prom")
        let buckets = try String(contentsOfFile: file, encoding: .utf8)
            .matches(of: #/(?m)^doorbell_dispatch_resolution_seconds_bucket\{le="(.*?)"\} (\d+)$/#)
        guard let all = buckets.last?.2, let first = buckets.first(where: { $0.2 == all }) else {
            throw Trouble(description: "no waits in \(file)")
        }
        return Double(first.1) ?? .infinity
    }

    private func secret(_ name: String, _ text: String) throws -> String {
        let file = try directory.write("etc/doorbell/\(name)", text, mode: 0o400)
        chown(file, dispatchUser.uid, dispatchUser.gid)
        return file
    }
}
