/// Why a wake was dropped.
public enum DropReason: String, CaseIterable, Sendable {
    /// The user has no device that could ring.
    case noDevice = "no_device"
    /// No device has the folder enabled.
    case folderOff = "folder_off"
    /// The account, or the whole installation, sends no push.
    case pushOff = "push_off"
    /// The device was removed while the wake waited.
    case deviceGone = "device_gone"
    /// The service doubts the token of every device that wanted it.
    case deviceSuspect = "device_suspect"
    /// Every device that wanted it is disabled by strikes.
    case deviceDisabled = "device_disabled"
    /// A later wake for the same device and folder tells as much; it is named in the row.
    case superseded
    /// This program doesn't know the channel or the environment of any device that wanted it.
    case unreachable
    /// The mail was filed as spam, or a filter took it for spam.
    case quietSpam = "quiet_spam"
    /// The mail is a bounce, or another answer to nobody.
    case quietBounce = "quiet_bounce"
    /// The mail is a report about a domain's mail.
    case quietReport = "quiet_report"
    /// The mail is a mailing list's.
    case quietList = "quiet_list"
    /// The mail was sent to many, or by a machine.
    case quietBulk = "quiet_bulk"
    /// The mail was sent to an address that the configuration keeps quiet.
    case quietRecipient = "quiet_recipient"
    /// The mail asks not to ring.
    case quietAsked = "quiet_asked"

    /// Those that are known when a notice is inserted.
    public static let quiet: [DropReason] = [
        .quietSpam, .quietBounce, .quietReport, .quietList, .quietBulk, .quietRecipient, .quietAsked,
    ]
}
