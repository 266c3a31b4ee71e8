internal import Queue
internal import Resolution

/// A notice's uid for a person, and where it isn't known why.
///
/// - Parameter source: how it is known, or why it isn't, as dispatch named it; nil where nobody looked.
func uidWords(_ notice: Notice, source: String?) -> String {
    let source = source.flatMap(Resolution.Source.init(rawValue:))
    if notice.uid > 0 { return "\(notice.uid)\(source == .hint ? ", a guess" : "")" }
    guard let why = source?.whyUnknown else { return "unknown" }
    return "unknown: \(why)"
}

extension Resolution.Source {
    /// For a person; nil where the uid is known.
    fileprivate var whyUnknown: String? {
        switch self {
        case .entry, .guid, .messageID, .checkedHint, .hint: nil
        case .notFound: "not found in this folder"
        case .outOfTime: "no answer from Dovecot in time"
        case .unavailable: "Dovecot can't be asked"
        case .unaskable: "nothing to look for it by"
        }
    }
}
