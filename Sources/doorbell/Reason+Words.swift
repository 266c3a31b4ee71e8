internal import Queue

extension DropReason {
    /// For a person.
    private var words: String {
        switch self {
        case .noDevice: "the user has no device"
        case .folderOff: "no device wants this folder"
        case .pushOff: "push was off"
        case .deviceGone: "the device was removed"
        case .deviceSuspect: "Apple doesn't know the device's token"
        case .deviceDisabled: "the device is disabled, as its token is another app's"
        case .superseded: "a newer wake of the folder took its place"
        case .unreachable: "the device is of a kind that this version doesn't know"
        case .quietSpam: "quiet: spam"
        case .quietBounce: "quiet: a bounce, or an answer to nobody"
        case .quietReport: "quiet: a report about mail"
        case .quietList: "quiet: from a mailing list"
        case .quietBulk: "quiet: sent to many, or by a machine"
        case .quietRecipient: "quiet: its recipient is in quiet.recipients"
        case .quietAsked: "quiet: X-Doorbell: no"
        }
    }

    /// What a row's reason means, for a person; nil where it has no other words, as Apple's haven't.
    ///
    /// The queue writes the reason of the last try behind that of the end.
    static func words(of reason: String) -> String? {
        let parts = reason.split(separator: " after ", maxSplits: 1)
        guard let code = parts.first.map(String.init) else { return nil }
        let words = DropReason(rawValue: code)?.words ?? (code == "expired" ? "it grew too old" : nil)
        return words.map { $0 + (parts.count > 1 ? ", after \(parts[1])" : "") }
    }
}
