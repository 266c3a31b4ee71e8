/// What responses are made of (RFC 3501 section 4).
extension ResponseParser {
    /// What stands up to the next space.
    mutating func word() -> [UInt8]? {
        let word = take { $0 != UInt8(ascii: " ") }
        skipSpaces()
        return word.isEmpty ? nil : Array(word)
    }

    mutating func number() throws(IMAPFault) -> UInt32 {
        let digits = take { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard let number = UInt32(decimalDigits: digits) else { throw .malformed }
        skipSpaces()
        return number
    }

    /// A quoted string, a literal, or NIL (section 4.3).
    mutating func string() throws(IMAPFault) -> [UInt8]? {
        switch rest.first {
        case UInt8(ascii: "\""): return try quoted()
        case UInt8(ascii: "{"): return try literal()
        default:
            let atom = take { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ")") }
            guard Self.upper(Array(atom)) == "NIL" else { throw .malformed }
            return nil
        }
    }

    private mutating func quoted() throws(IMAPFault) -> [UInt8] {
        var text: [UInt8] = []
        rest.removeFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return text
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { throw .malformed }
                text.append(escaped)
            default: text.append(byte)
            }
        }
        throw .malformed
    }

    private mutating func literal() throws(IMAPFault) -> [UInt8] {
        rest.removeFirst()
        let length = Int(try number())
        guard skip("}"), skip("\r"), skip("\n"), rest.count >= length else { throw .malformed }
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }

    /// Passes over one value of any kind.
    mutating func skipValue() throws(IMAPFault) {
        if skip("(") { return try skipList() }
        switch rest.first {
        case UInt8(ascii: "\""), UInt8(ascii: "{"): _ = try string()
        default: _ = take { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ")") }
        }
    }

    /// Passes over the rest of a list, and the lists in it.
    mutating func skipList() throws(IMAPFault) {
        var depth = 1
        while depth > 0 {
            switch rest.first {
            case nil: throw .malformed
            case UInt8(ascii: "\""), UInt8(ascii: "{"): _ = try string()
            case UInt8(ascii: "("):
                depth += 1
                rest.removeFirst()
            case UInt8(ascii: ")"):
                depth -= 1
                rest.removeFirst()
            default: rest.removeFirst()
            }
        }
    }

    mutating func skipSpaces() { _ = take { $0 == UInt8(ascii: " ") } }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func take(while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let part = rest.prefix(while: isPart)
        rest = rest[part.endIndex...]
        return part
    }
}

extension UInt32 {
    /// Reads decimal digits and nothing else; nil when there are none, or too many for 32 bits.
    init?(decimalDigits digits: some Collection<UInt8>) {
        guard (1...10).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        let value = digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1 - UInt8(ascii: "0")) }
        self.init(exactly: value)
    }
}
