/// What came of asking a server.
public enum Answer: Equatable, Sendable {
    case found(Finding)
    /// The folder or the mail isn't there, or not yet.
    case nothing
}
