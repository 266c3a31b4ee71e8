internal import Queue
internal import Settings
internal import Spool

/// Decides which mail rings nobody: pure, from where a mail was filed, to whom it was sent, and what its header says.
struct QuietRule: Sendable {
    private let kinds: Set<Configuration.Quiet.Kind>
    private let junkFolders: [String]
    private let recipients: Set<String>

    /// The rule that the configuration makes.
    init(_ quiet: Configuration.Quiet) {
        kinds = Set(quiet.kinds)
        junkFolders = quiet.junkFolders.map { $0.lowercased() }
        recipients = Set(quiet.recipients.map { $0.lowercased() })
    }

    /// Why a mail rings nobody; nil when it rings.
    ///
    /// What somebody has asked for counts before what a mail is, and a report is one even where it comes as a bounce.
    func reason(for entry: SpoolEntry) -> DropReason? {
        if entry.marks.contains(.asked) { return .quietAsked }
        if isFor(recipient: entry.recipient) || isFor(recipient: entry.user) { return .quietRecipient }
        let isFiledAsSpam = isJunk(String(decoding: entry.folder, as: UTF8.self))
        let found: [(Configuration.Quiet.Kind, Bool, DropReason)] = [
            (.spam, isFiledAsSpam || entry.marks.contains(.spam), .quietSpam),
            (.report, entry.marks.contains(.report), .quietReport),
            (.bounce, entry.marks.contains(.bounce), .quietBounce),
            (.list, entry.marks.contains(.list), .quietList),
            (.bulk, entry.marks.contains(.bulk), .quietBulk),
        ]
        return found.first { kinds.contains($0.0) && $0.1 }?.2
    }

    /// Whether a folder, or the last part of its name, is a junk folder; the separator is the server's `.` or `/`.
    private func isJunk(_ folder: String) -> Bool {
        let folder = folder.lowercased()
        return junkFolders.contains {
            folder == $0 || folder.hasSuffix(".\($0)") || folder.hasSuffix("/\($0)")
        }
    }

    private func isFor(recipient address: [UInt8]) -> Bool {
        guard !recipients.isEmpty, !address.isEmpty else { return false }
        let address = String(decoding: address, as: UTF8.self).lowercased()
        guard let at = address.lastIndex(of: "@") else { return recipients.contains(address) }
        return recipients.contains(address) || recipients.contains(String(address[at...]))
            || recipients.contains(String(address[..<at]))
    }
}
