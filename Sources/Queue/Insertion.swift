/// What became of a notice that the drain found.
public enum Insertion: Sendable {
    /// It is in the queue now.
    case new
    /// It was in the queue already.
    case known
    /// Its account has as many waiting as it may: its entry stays in the spool until there is room.
    case noRoom
}
