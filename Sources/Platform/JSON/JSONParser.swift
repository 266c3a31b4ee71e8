/// Reads JSON that a stranger may have written: strict (RFC 8259), bounded, and it never traps.
///
/// Refused besides what the RFC refuses: invalid UTF-8, unpaired surrogates, a name twice in one object (readers
/// disagree on which counts), and nesting deeper than the limit. The caller bounds the length.
public struct JSONParser {
    /// Why a text was refused.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// What is wrong, never quoting the text.
        public let reason: Reason
        /// Where, in bytes from the start.
        public let offset: Int

        /// One line for a log.
        public var description: String { "\(reason.rawValue) at byte \(offset)" }
    }

    /// The kinds of refusal.
    public enum Reason: String, Sendable {
        case truncated = "ends too early"
        case unexpectedByte = "unexpected byte"
        case trailingBytes = "something follows the value"
        case invalidUTF8 = "invalid UTF-8"
        case invalidEscape = "invalid escape"
        case invalidNumber = "invalid number"
        case duplicateName = "a name occurs twice"
        case tooDeep = "nested too deeply"
    }

    private let bytes: [UInt8]
    private var position = 0
    private let maximumDepth: Int

    /// Parses one whole text.
    ///
    /// - Parameters:
    ///   - bytes: the text, white space around it allowed.
    ///   - maximumDepth: how many arrays and objects may stand inside each other.
    public static func parse(_ bytes: [UInt8], maximumDepth: Int = 16) throws(Failure) -> JSONValue {
        var parser = JSONParser(bytes: bytes, maximumDepth: maximumDepth)
        let value = try parser.value(depth: 0)
        parser.skipWhiteSpace()
        guard parser.position == bytes.count else { throw parser.failure(.trailingBytes) }
        return value
    }

    private init(bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    private func failure(_ reason: Reason) -> Failure { Failure(reason: reason, offset: position) }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipWhiteSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            position += 1
        }
    }

    private mutating func value(depth: Int) throws(Failure) -> JSONValue {
        skipWhiteSpace()
        switch current {
        case nil: throw failure(.truncated)
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .boolean(true))
        case UInt8(ascii: "f"): return try literal("false", .boolean(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(Failure) -> JSONValue {
        guard depth <= maximumDepth else { throw failure(.tooDeep) }
        position += 1
        var members: [String: JSONValue] = [:]
        skipWhiteSpace()
        if current == UInt8(ascii: "}") {
            position += 1
            return .object(members)
        }
        while true {
            skipWhiteSpace()
            let start = position
            let name = try string()
            skipWhiteSpace()
            try expect(UInt8(ascii: ":"))
            let value = try value(depth: depth)
            guard members.updateValue(value, forKey: name) == nil else {
                throw Failure(reason: .duplicateName, offset: start)
            }
            if try endsAfterElement(closing: UInt8(ascii: "}")) { return .object(members) }
        }
    }

    private mutating func array(depth: Int) throws(Failure) -> JSONValue {
        guard depth <= maximumDepth else { throw failure(.tooDeep) }
        position += 1
        var elements: [JSONValue] = []
        skipWhiteSpace()
        if current == UInt8(ascii: "]") {
            position += 1
            return .array(elements)
        }
        while true {
            elements.append(try value(depth: depth))
            if try endsAfterElement(closing: UInt8(ascii: "]")) { return .array(elements) }
        }
    }

    private mutating func endsAfterElement(closing: UInt8) throws(Failure) -> Bool {
        skipWhiteSpace()
        if current == closing {
            position += 1
            return true
        }
        try expect(UInt8(ascii: ","))
        return false
    }

    private mutating func expect(_ byte: UInt8) throws(Failure) {
        guard let found = current else { throw failure(.truncated) }
        guard found == byte else { throw failure(.unexpectedByte) }
        position += 1
    }

    private mutating func literal(_ text: String, _ value: JSONValue) throws(Failure) -> JSONValue {
        for byte in text.utf8 { try expect(byte) }
        return value
    }

    private mutating func string() throws(Failure) -> String {
        try expect(UInt8(ascii: "\""))
        let start = position
        var text: [UInt8] = []
        while true {
            guard let byte = current else { throw failure(.truncated) }
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw Failure(reason: .invalidUTF8, offset: start)
                }
                return string
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: throw failure(.unexpectedByte)
            default:
                text.append(byte)
                position += 1
            }
        }
    }

    private mutating func escape(into text: inout [UInt8]) throws(Failure) {
        position += 1
        guard let byte = current else { throw failure(.truncated) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: Array(String(try unicodeEscape()).utf8))
        default: throw failure(.invalidEscape)
        }
    }

    private mutating func unicodeEscape() throws(Failure) -> Character {
        let first = try fourHexDigits()
        if let scalar = Unicode.Scalar(UInt32(first)) { return Character(scalar) }
        // A high surrogate: its other half must follow at once (RFC 8259 section 7).
        try expect(UInt8(ascii: "\\"))
        try expect(UInt8(ascii: "u"))
        let second = try fourHexDigits()
        guard (0xD800...0xDBFF).contains(first), (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(
                0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { throw failure(.invalidEscape) }
        return Character(scalar)
    }

    private mutating func fourHexDigits() throws(Failure) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = current else { throw failure(.truncated) }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure(.invalidEscape)
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }

    private mutating func number() throws(Failure) -> JSONValue {
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        let leading = current
        let whole = skipDigits()
        guard whole > 0, leading != UInt8(ascii: "0") || whole == 1 else {
            throw Failure(reason: whole == 0 ? .unexpectedByte : .invalidNumber, offset: start)
        }
        var isWhole = true
        if current == UInt8(ascii: ".") {
            position += 1
            isWhole = false
            guard skipDigits() > 0 else { throw failure(.invalidNumber) }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            position += 1
            isWhole = false
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            guard skipDigits() > 0 else { throw failure(.invalidNumber) }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else {
            throw Failure(reason: .invalidNumber, offset: start)
        }
        return .number(number)
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }
}
