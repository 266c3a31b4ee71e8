internal import IMAP
internal import Posix
internal import Resolution
internal import Settings

/// Whom to ask for the UIDs of mails, with what it takes to be let in.
struct Dovecot {
    /// IMAP's side of it.
    struct Mailboxes {
        let address: SocketAddress
        let login: MasterLogin
        let passwordFile: NamedFile
    }

    /// Doveadm's side of it.
    struct Doveadm {
        let address: SocketAddress
        let key: [UInt8]
        let keyFile: NamedFile
    }

    let mailboxes: Mailboxes?
    let doveadm: Doveadm?
    /// How long a wake waits for its uid.
    let bound: Duration
    private let domain: String?

    /// Reads the secrets that `[dovecot]` names; nil where there is no such section.
    init?(_ section: Configuration.Dovecot?) throws(ConfigurationError) {
        guard let section else { return nil }
        bound = section.bound
        domain = section.domain
        if let imap = section.imap {
            mailboxes = Mailboxes(
                address: imap.address,
                login: MasterLogin(user: imap.masterUser, password: try Self.secret(imap.passwordFile)),
                passwordFile: imap.passwordFile)
        } else {
            mailboxes = nil
        }
        if let named = section.doveadm {
            doveadm = Doveadm(
                address: named.address, key: try Self.secret(named.keyFile), keyFile: named.keyFile)
        } else {
            doveadm = nil
        }
    }

    /// Who can be asked, the preferred one first.
    var services: [Service] { (mailboxes == nil ? [] : [.imap]) + (doveadm == nil ? [] : [.doveadm]) }

    /// Where a server is.
    func address(of service: Service) -> SocketAddress? {
        switch service {
        case .imap: mailboxes?.address
        case .doveadm: doveadm?.address
        }
    }

    /// What a user's account is called there.
    func account(of user: String) -> String {
        guard let domain, !user.utf8.contains(UInt8(ascii: "@")) else { return user }
        return "\(user)@\(domain)"
    }

    /// For people: whose fault it is that a server doesn't let us in, and what to do.
    func text(of refusal: Refusal, by service: Service) -> String {
        switch (refusal, service) {
        case (.secret, .imap):
            let fault = "isn't Dovecot's password for dovecot.master_user, or allow_nets there keeps us out"
            return mailboxes.map { "\($0.passwordFile.fault(fault))" } ?? fault
        case (.secret, .doveadm):
            let fault = "isn't Dovecot's doveadm_api_key"
            return doveadm.map { "\($0.keyFile.fault(fault))" } ?? fault
        case (.accounts(let count), _):
            return
                "to \(count) account\(count == 1 ? "" : "s"), unknown to Dovecot, or with mail that it can't "
                + "open, or by a secret that it takes no more: its log says which"
        }
    }

    private static func secret(_ file: NamedFile) throws(ConfigurationError) -> [UInt8] {
        do throws(SecretFile.Failure) {
            return try SecretFile.password(file.path)
        } catch {
            throw file.fault(error.fault)
        }
    }
}
