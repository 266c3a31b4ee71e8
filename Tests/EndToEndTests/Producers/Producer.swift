import Testing

/// The ways to ring that ship.
enum Producer: String, CaseIterable, CustomTestStringConvertible {
    case trap = "procmail's TRAP"
    case copy = "procmail's carbon copy"
    case lua = "Dovecot's Lua"
    case sieve = "Dovecot's Sieve"
    case exim = "Exim's shadow transport"
    case maildrop = "maildrop's cc"
    case forward = "Postfix's .forward"
    case mailboxCommand = "Postfix's mailbox_command"

    var testDescription: String { rawValue }

    /// Those that are done when the entry is written; procmail doesn't wait for its carbon copy.
    static var waiting: [Producer] { allCases.filter { $0 != .copy } }

    /// Those that start the hook; Lua writes entries itself.
    static var ofHook: [Producer] { allCases.filter { $0 != .lua } }

    /// What mail it tells from others.
    var quietMail: Set<QuietMail> {
        switch self {
        case .lua: [.bounce, .report]
        case .mailboxCommand: [.nullSender]
        default: Set(QuietMail.allCases)
        }
    }

    /// Starts the program, or sets it up where it is started for each mail.
    func start(at site: Site) throws -> any MailProgram {
        switch self {
        case .trap: Procmail(site: site, recipe: "trap")
        case .copy: Procmail(site: site, recipe: "copy")
        case .lua: try LMTP(at: site, including: "dovecot/lua.conf")
        case .sieve: try LMTP(withSieveAt: site)
        case .exim: try Exim(at: site)
        case .maildrop: try Maildrop(at: site)
        case .forward: try Postfix(forwardAt: site)
        case .mailboxCommand: try Postfix(mailboxCommandAt: site)
        }
    }
}
