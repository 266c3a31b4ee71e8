/// What a notice is about.
///
/// A kind this version doesn't know keeps its name: another version may have written it.
public struct NoticeKind: RawRepresentable, Equatable, Hashable, Sendable {
    /// The name in the queue.
    public let rawValue: String

    /// Wraps a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Mail has landed in a folder.
    public static let mail = NoticeKind(rawValue: "mail")
}
