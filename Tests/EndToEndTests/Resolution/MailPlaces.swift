import Foundation
import JSON
import SQLite
import TestSupport

/// What pushes name, compared with what IMAP gives under it.
struct MailPlaces {
    /// A push, and the mail that its notice is about.
    struct Push: Sendable {
        let user: String
        let messageID: String
        let folder: String
        let uid: Int64
        let uidValidity: Int64?
        let collapseID: String
    }

    let site: Site

    /// The pushes of a site, in the order in which Apple got them.
    func pushes() throws -> [Push] {
        let queue = try Connection(path: site.queue, busyTimeout: .seconds(20), creating: false)
        return try site.apple.requests.map { request in
            let id = request.header("apns-id") ?? ""
            let notice = try queue.first(
                """
                SELECT user, message_id FROM deliveries JOIN notices ON notices.id = notice WHERE apns_id = ?1
                """, [.text(id)]
            ) { (user: $0.text(0), messageID: $0.text(1)) }
            let reference = try JSONParser.parse(Array(request.body.utf8))["msgRef"]
            guard let notice, let folder = reference?["folder"]?.string, let uid = reference?["uid"]?.integer
            else {
                throw Site.Trouble(description: "a push of nobody's: \(request.body)")
            }
            return Push(
                user: notice.user, messageID: notice.messageID, folder: folder, uid: uid,
                uidValidity: reference?["uidValidity"]?.integer,
                collapseID: request.header("apns-collapse-id") ?? "")
        }
    }

    /// What IMAP gives under the places that pushes name: of each UIDVALIDITY and Message-ID.
    func fetched(_ pushes: [Push], from dovecot: DovecotServer) throws -> [String] {
        let lines = pushes.map { "\($0.user)\t\($0.folder)\t\($0.uid)\n" }.joined()
        let result = try site.run(
            ["/usr/bin/python3", "-B", dovecot.peer("fetch.py"), "\(dovecot.imapPort)"], input: lines)
        guard result.ending == .exited(0) else { throw Site.Trouble(description: result.errors) }
        return result.output.split(separator: "\n").map(String.init)
    }

    /// Pushes under whose place IMAP has another mail, or none.
    func wrong(_ pushes: [Push], from dovecot: DovecotServer) throws -> [Push] {
        zip(pushes, try fetched(pushes, from: dovecot)).compactMap { push, found in
            found == "\(push.uidValidity ?? 0) \(push.messageID)" ? nil : push
        }
    }
}
