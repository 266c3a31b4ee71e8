/// Who can be asked for the UID of a mail, in the order of preference.
public enum Service: String, CaseIterable, Sendable {
    case imap
    case doveadm
}
