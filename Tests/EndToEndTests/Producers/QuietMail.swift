/// The kinds of mail that may ring nobody, each told by one thing.
enum QuietMail: String, CaseIterable {
    case nullSender, bounce, report, asked, spam, list, bulk

    var mail: Mail {
        switch self {
        case .nullSender: Mail(envelopeSender: "")
        case .bounce:
            Mail(
                sender: "MAILER-DAEMON@example.org (Mail Delivery System)",
                fields: "Content-Type: multipart/report; report-type=delivery-status; boundary=b\n")
        case .report: Mail(subject: "Report Domain: example.org Submitter: example.com")
        case .asked: Mail(fields: "X-Doorbell: no\n")
        case .spam: Mail(fields: "X-Spam-Flag: YES\n")
        case .list: Mail(fields: "List-Id: Swift <swift.example.org>\n")
        case .bulk: Mail(fields: "Precedence: bulk\n")
        }
    }

    /// Why it rings nobody.
    var reason: String { "quiet_\(self == .nullSender ? "bounce" : rawValue)" }
}
