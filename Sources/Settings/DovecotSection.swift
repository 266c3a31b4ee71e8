/// What `[dovecot]` means: IMAP, doveadm or both; nothing where it is absent.
struct DovecotSection {
    let dovecot: Configuration.Dovecot?

    /// Takes `[dovecot]` from the document's top table.
    init(_ top: inout TableReader) throws(ConfigurationError) {
        let isPresent = top.has("dovecot")
        var table = try top.table("dovecot")
        let imap = try table.localAddress("imap")
        let doveadm = try table.localAddress("doveadm")
        let domain = try table.string("domain", .domain)
        let bound = try table.duration("bound", in: .milliseconds(10)...(.seconds(10))) ?? .milliseconds(500)
        // Before one is missed: it may be there, misspelt.
        table.allow("master_user", "password_file", "api_key_file")
        try table.refuseUnknownKeys()
        guard isPresent else {
            dovecot = nil
            return
        }
        guard imap != nil || doveadm != nil else {
            throw table.fault("names nobody to ask: it needs imap or doveadm")
        }
        var login: Configuration.Dovecot.IMAP?
        if let imap {
            login = Configuration.Dovecot.IMAP(
                address: imap, masterUser: try table.required("master_user", .userName),
                passwordFile: try table.requiredFile("password_file"))
        }
        var key: Configuration.Dovecot.Doveadm?
        if let doveadm {
            key = Configuration.Dovecot.Doveadm(
                address: doveadm, keyFile: try table.requiredFile("api_key_file"))
        }
        dovecot = Configuration.Dovecot(imap: login, doveadm: key, domain: domain, bound: bound)
    }
}
