/// What a server has found for a question.
public struct Finding: Equatable, Sendable {
    /// By what it was found.
    public enum Clue: String, CaseIterable, Sendable {
        case guid
        case messageID = "message_id"
        case hint
        /// By the entry's own UID: its mailbox was.
        case entry
    }

    /// A message that may be the one.
    public struct Candidate: Equatable, Sendable {
        /// Its UID.
        public var uid: UInt32
        /// Its Message-ID, or nothing.
        public var messageID: [UInt8]
        /// When it came, in seconds since the epoch.
        public var receivedAt: Int64?

        /// Puts a candidate together.
        public init(uid: UInt32, messageID: [UInt8] = [], receivedAt: Int64? = nil) {
            self.uid = uid
            self.messageID = messageID
            self.receivedAt = receivedAt
        }
    }

    /// How far a message's date may be from the notice's: what the hook and the delivery take, and much more.
    static let tolerance: Int64 = 60

    /// The folder as the server names it, in UTF-8.
    public var folder: String
    /// The folder's UIDVALIDITY.
    public var uidValidity: UInt32
    /// By what it was found.
    public var clue: Clue
    /// What may be meant.
    public var candidates: [Candidate]

    /// Puts a finding together.
    public init(folder: String, uidValidity: UInt32, clue: Clue, candidates: [Candidate]) {
        self.folder = folder
        self.uidValidity = uidValidity
        self.clue = clue
        self.candidates = candidates
    }

    /// The message that is meant; nil where that is doubtful.
    ///
    /// A GUID means one message. A search for a Message-ID finds parts too, and the copies of a mail that came twice:
    /// only an equal one counts, that came when the notice's mail did and was named for no other notice; of several
    /// the one whose date is nearest, and of equally near ones the first, because their notices come in order too. A
    /// guess counts only for a mail without a Message-ID, and only if no other such mail came then.
    ///
    /// - Parameter isTaken: whether a UID was named for another notice.
    func message(for question: Question, isTaken: (UInt32) -> Bool) -> UInt32? {
        if clue == .guid || clue == .entry { return candidates.count == 1 ? candidates.first?.uid : nil }
        let near = candidates.compactMap { candidate -> (distance: Int64, uid: UInt32)? in
            guard candidate.uid > 0, candidate.messageID == question.messageID, !isTaken(candidate.uid),
                let receivedAt = candidate.receivedAt
            else { return nil }
            let (difference, overflow) = receivedAt.subtractingReportingOverflow(question.landedAt)
            guard !overflow, difference.magnitude <= Self.tolerance.magnitude else { return nil }
            return (Int64(difference.magnitude), candidate.uid)
        }
        if clue == .hint, near.count > 1 { return nil }
        return near.min { ($0.distance, $0.uid) < ($1.distance, $1.uid) }?.uid
    }
}
