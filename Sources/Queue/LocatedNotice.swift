/// A notice that is ready for its fan-out, with what has been found out about where its mail lies.
public struct LocatedNotice: Equatable, Sendable {
    /// Where a mail lies, as the mail server names it.
    public struct Place: Equatable, Sendable {
        /// The folder.
        public var folder: String
        /// The UID in it.
        public var uid: UInt32
        /// The folder's UIDVALIDITY, where known.
        public var uidValidity: UInt32?

        /// Names a place.
        public init(folder: String, uid: UInt32, uidValidity: UInt32?) {
            (self.folder, self.uid, self.uidValidity) = (folder, uid, uidValidity)
        }
    }

    /// The notice as it was when it waited.
    public var notice: Notice
    /// What is written down of it with its deliveries; nil leaves it as it is.
    public var place: Place?
    /// How the uid is known, or why it isn't; nil where nobody looked.
    public var uidSource: String?

    /// Puts them together.
    public init(_ notice: Notice, at place: Place? = nil, uidSource: String? = nil) {
        (self.notice, self.place, self.uidSource) = (notice, place, uidSource)
    }
}
