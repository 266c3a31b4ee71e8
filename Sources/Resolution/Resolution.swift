/// What came of looking for a notice's mail.
public struct Resolution: Equatable, Sendable {
    /// Where the mail is.
    public struct Location: Equatable, Sendable {
        /// The folder as the server names it, where one was asked; else as the notice does.
        public var folder: String
        /// The UID.
        public var uid: UInt32
        /// The folder's UIDVALIDITY, where known.
        public var uidValidity: UInt32?

        /// Names a place.
        public init(folder: String, uid: UInt32, uidValidity: UInt32?) {
            self.folder = folder
            self.uid = uid
            self.uidValidity = uidValidity
        }
    }

    /// How it came about: a closed set, for counting.
    public enum Source: String, CaseIterable, Sendable {
        /// The entry knew.
        case entry
        /// By the name of the mail's file.
        case guid
        /// By its Message-ID.
        case messageID = "message_id"
        /// The entry's guess, which the server bears out.
        case checkedHint = "checked_hint"
        /// The entry's guess, with nobody to ask.
        case hint
        /// Unknown: the server has no such mail, or more than one.
        case notFound = "not_found"
        /// Unknown: the server hasn't answered within the bound.
        case outOfTime = "out_of_time"
        /// Unknown: nobody can be asked now.
        case unavailable
        /// Unknown: the mail has nothing by which to ask.
        case unaskable
    }

    /// The notice's id.
    public var notice: Int64
    /// Where the mail is; nil: unknown.
    public var location: Location?
    /// How that is known, or why it isn't.
    public var source: Source

    /// Whether the UID is exact, so that a collapse id may be made of it: a guess isn't.
    public var isExact: Bool { location != nil && source != .hint }

    /// Puts a resolution together.
    public init(notice: Int64, location: Location?, source: Source) {
        self.notice = notice
        self.location = location
        self.source = source
    }
}
