/// Cuts what a server sends into responses, whatever pieces it comes in.
///
/// A response ends with CR LF, except where `{n}` stands before that: then n bytes and more of the response follow
/// (RFC 3501 section 4.3). The text of a status never has such a literal, though it may end like one: it can hold the
/// name of a folder.
public struct ResponseReader: Sendable {
    /// The most bytes of a response: a thousand UIDs have eleven thousand.
    public static let maximumLength = 65_536

    private var buffer: [UInt8] = []
    /// Where the present response begins.
    private var start = 0
    /// Where its last line begins; behind the end of `buffer` while a literal is still to come.
    private var lineStart = 0
    /// Up to where no line ends.
    private var looked = 0

    /// Starts with the greeting.
    public init() {}

    /// Takes what has arrived.
    public mutating func receive(_ bytes: [UInt8]) {
        buffer.removeFirst(start)
        lineStart -= start
        looked -= start
        start = 0
        buffer += bytes
    }

    /// The next whole response; nil: more must arrive.
    public mutating func next() throws(IMAPFault) -> Response? {
        while looked <= buffer.count, let lineEnd = buffer[looked...].firstIndex(of: UInt8(ascii: "\n")) {
            guard lineEnd > lineStart, buffer[lineEnd - 1] == UInt8(ascii: "\r") else { throw .malformed }
            guard lineEnd - start < Self.maximumLength else { throw .oversized }
            let text = buffer[start..<(lineEnd - 1)]
            var parser = ResponseParser(text)
            // Behind a literal it surely isn't a status.
            let hasLiterals = lineStart > start || !parser.isStatus
            if hasLiterals, let length = try Self.literalLength(text[lineStart...]) {
                lineStart = lineEnd + 1 + length
                looked = lineStart
                continue
            }
            start = lineEnd + 1
            lineStart = start
            looked = start
            return try parser.response()
        }
        looked = max(looked, buffer.count)
        guard buffer.count - start < Self.maximumLength else { throw .oversized }
        return nil
    }

    /// The length of the literal that a line announces at its end.
    private static func literalLength(_ line: ArraySlice<UInt8>) throws(IMAPFault) -> Int? {
        guard line.last == UInt8(ascii: "}"), let open = line.lastIndex(of: UInt8(ascii: "{")),
            let length = UInt32(decimalDigits: line[(open + 1)..<(line.endIndex - 1)])
        else { return nil }
        guard length < maximumLength else { throw .oversized }
        return Int(length)
    }
}
