/// A file that is still being written where the file system can't make one without a name.
///
/// Its writer may be killed and leave it behind, so somebody else has to remove it, and must not do so early: the two
/// bounds below belong together.
public enum SpoolTemporary {
    /// What a temporary's name begins with; an entry's never does.
    public static let prefix = UInt8(ascii: ".")
    /// How long a writer lives at most, in seconds, before its alarm ends it: well below `staleAfter`.
    public static let writerLifetime: UInt32 = 5
    /// The age in seconds from which a temporary has no writer any more: ten times `writerLifetime`.
    public static let staleAfter: UInt32 = 10 * writerLifetime
}
