/// Why an entry of the spool can't be used: a closed set, whose raw values serve as metric labels.
public enum SpoolEntryDamage: String, Error, CaseIterable, Sendable {
    /// Larger than `SpoolEntry.maximumSize`.
    case oversized
    /// Cut short: empty, without its newline, or ending inside the object.
    case truncated
    /// Not one JSON object, or one nested more deeply than `JSONParser` reads.
    case badJSON = "bad_json"
    /// Not of version 1.
    case wrongVersion = "wrong_version"
    /// No user, or one outside its bounds.
    case badUser = "bad_user"
    /// No folder, or one outside its bounds.
    case badFolder = "bad_folder"
    /// No uid, or a uid, hint or UIDVALIDITY that isn't a number in its range.
    case badUID = "bad_uid"
    /// No Message-ID, not even an empty one, or not a string.
    case badMessageID = "bad_msg_id"
    /// No time, or one outside 0 to 2^53.
    case badTime = "bad_time"
    /// A base name of the mail's file that isn't one.
    case badFiled = "bad_filed"
    /// The file's owner may not speak for the user it names.
    case wrongOwner = "wrong_owner"
    /// A directory, symbolic link, FIFO, socket or device.
    case notRegular = "not_regular"
    /// A file with more than one name.
    case linked
    /// A file that can't be opened or read.
    case unreadable
}
