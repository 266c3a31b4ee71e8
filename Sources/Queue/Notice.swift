/// A notice as it stands in the queue.
@dynamicMemberLookup
public struct Notice: Equatable, Sendable {
    /// Its id, never used again.
    public var id: Int64
    /// What it is about.
    public var kind: NoticeKind
    /// What the drain found.
    public var content: NewNotice

    /// Puts a notice together, for tests of what is decided about it.
    public init(id: Int64, kind: NoticeKind = .mail, content: NewNotice) {
        self.id = id
        self.kind = kind
        self.content = content
    }

    /// The fields of `content` read as the notice's own.
    public subscript<Field>(dynamicMember field: KeyPath<NewNotice, Field>) -> Field {
        content[keyPath: field]
    }
}
