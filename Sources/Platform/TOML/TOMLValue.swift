/// A place in a TOML document, counted from 1.
public struct TOMLPosition: Hashable, Sendable {
    /// The line.
    public let line: Int
    /// The column, in characters.
    public let column: Int

    /// Wraps a line and a column.
    public init(line: Int, column: Int) { (self.line, self.column) = (line, column) }
}

/// A value of a TOML document and where it stands.
public struct TOMLValue: Equatable, Sendable {
    /// What a value can be.
    public enum Content: Equatable, Sendable {
        case string(String)
        case integer(Int64)
        case float(Double)
        case boolean(Bool)
        case dateOrTime
        case array([TOMLValue])
        case table(TOMLTable)
    }

    /// The place of its key; of the value itself where it is an array's element.
    public let position: TOMLPosition
    /// The value.
    public let content: Content

    /// Puts a value at a place.
    public init(position: TOMLPosition, content: Content) {
        (self.position, self.content) = (position, content)
    }
}

/// The keys of a TOML table with their values.
public typealias TOMLTable = [String: TOMLValue]

/// Why a text isn't a TOML document.
public struct TOMLError: Error, Equatable, Sendable {
    /// Where reading it came to an end.
    public let position: TOMLPosition
    /// What is wrong, in the parser's words.
    public let cause: String
}
