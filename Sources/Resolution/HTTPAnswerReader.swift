/// Reads one answer of an HTTP/1.1 server whose connection serves one request (RFC 9112).
///
/// The body's length must be told, by Content-Length or chunks: one that ends with the connection can't be told from
/// one that was cut. Everything is bounded.
struct HTTPAnswerReader: Sendable {
    /// The most bytes of an answer, with its header.
    static let maximumLength = 65_536

    /// Why an answer is of no use.
    enum Fault: Error, Equatable {
        case oversized
        case malformed
    }

    /// A whole answer.
    struct HTTPAnswer: Equatable {
        var status: Int
        var body: [UInt8]
    }

    private var bytes: [UInt8] = []

    /// Takes what has arrived; gives the answer once it is whole.
    mutating func receive(_ piece: [UInt8]) throws(Fault) -> HTTPAnswer? {
        bytes += piece
        guard bytes.count <= Self.maximumLength else { throw .oversized }
        return try answer()
    }

    /// Reads from the start each time: there are few pieces, and they are short.
    private func answer() throws(Fault) -> HTTPAnswer? {
        var rest = bytes[...]
        guard let statusLine = try Self.line(&rest) else { return nil }
        let status = try Self.status(statusLine)
        var length: Int?
        var isChunked = false
        while true {
            guard let field = try Self.line(&rest) else { return nil }
            if field.isEmpty { break }
            guard let colon = field.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed }
            let value = Self.trimmed(field[(colon + 1)...])
            switch String(decoding: field[..<colon], as: UTF8.self).lowercased() {
            case "content-length":
                guard let number = Self.number(value, radix: 10), length ?? number == number else {
                    throw .malformed
                }
                length = number
            case "transfer-encoding":
                guard String(decoding: value, as: UTF8.self).lowercased() == "chunked" else {
                    throw .malformed
                }
                isChunked = true
            default: break
            }
        }
        if isChunked {
            // Both together are how requests are smuggled (RFC 9112 section 6.3).
            guard length == nil else { throw .malformed }
            return try Self.chunks(&rest).map { HTTPAnswer(status: status, body: $0) }
        }
        guard let length else { throw .malformed }
        guard length <= Self.maximumLength else { throw .oversized }
        guard rest.count >= length else { return nil }
        return HTTPAnswer(status: status, body: Array(rest.prefix(length)))
    }

    private static func status(_ line: ArraySlice<UInt8>) throws(Fault) -> Int {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].starts(with: "HTTP/1.".utf8), words[1].count == 3,
            let status = number(words[1], radix: 10)
        else { throw .malformed }
        return status
    }

    /// Section 7.1; nil while there is more to come.
    private static func chunks(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> [UInt8]? {
        var body: [UInt8] = []
        while true {
            guard let head = try line(&rest) else { return nil }
            let digits = trimmed(head.prefix { $0 != UInt8(ascii: ";") })
            guard let size = number(digits, radix: 16) else { throw .malformed }
            guard size <= maximumLength else { throw .oversized }
            if size == 0 { break }
            guard rest.count >= size else { return nil }
            body += rest.prefix(size)
            rest = rest.dropFirst(size)
            guard let end = try line(&rest) else { return nil }
            guard end.isEmpty else { throw .malformed }
        }
        // Trailers, up to the empty line.
        while let trailer = try line(&rest) { if trailer.isEmpty { return body } }
        return nil
    }

    private static func line(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = rest[..<end]
        guard line.last == UInt8(ascii: "\r") else { throw .malformed }
        rest = rest[(end + 1)...]
        return line.dropLast()
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }

    private static func number(_ digits: ArraySlice<UInt8>, radix: Int) -> Int? {
        guard (1...8).contains(digits.count) else { return nil }
        var value = 0
        for digit in digits {
            guard let part = Character(Unicode.Scalar(digit)).hexDigitValue, part < radix else { return nil }
            value = value * radix + part
        }
        return value
    }
}
