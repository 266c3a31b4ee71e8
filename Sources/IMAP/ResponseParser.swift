/// Reads one whole response.
///
/// What isn't understood is passed over where the grammar says how, and a fault elsewhere. Nothing recurses, so no
/// depth of parentheses costs more than their length.
struct ResponseParser {
    var rest: ArraySlice<UInt8>

    init(_ response: ArraySlice<UInt8>) { rest = response }

    /// Whether this is a status, tagged or not, or a permission to go on: their text is for people.
    var isStatus: Bool {
        var copy = self
        guard let tag = copy.word() else { return true }
        return tag == [UInt8(ascii: "+")] || copy.word().flatMap(Self.statusKind) != nil
    }

    mutating func response() throws(IMAPFault) -> Response {
        guard let tag = word() else { throw .malformed }
        if tag == [UInt8(ascii: "+")] { return .goOn }
        let isUntagged = tag == [UInt8(ascii: "*")]
        guard let name = word() else { throw .malformed }
        if let kind = Self.statusKind(name) {
            let status = Response.Status(kind, try code())
            return isUntagged ? .status(status) : .tagged(tag, status)
        }
        guard isUntagged else { throw .malformed }
        switch Self.upper(name) {
        case "CAPABILITY": return .capability(capabilities())
        case "NAMESPACE": return .namespace(try namespaces())
        case "SEARCH": return .search(try numbers())
        default:
            guard UInt32(decimalDigits: name) != nil, word().map(Self.upper) == "FETCH" else { return .other }
            return .fetch(try message())
        }
    }

    static func upper(_ word: [UInt8]) -> String {
        String(decoding: word, as: UTF8.self).uppercased()
    }

    private static func statusKind(_ word: [UInt8]) -> Response.Status.Kind? {
        Response.Status.Kind(rawValue: upper(word))
    }

    private mutating func code() throws(IMAPFault) -> Response.Code? {
        guard skip("[") else { return nil }
        guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { throw .malformed }
        var inside = ResponseParser(rest[..<end])
        guard let name = inside.word() else { throw .malformed }
        switch Self.upper(name) {
        case "UIDVALIDITY": return .uidValidity(try inside.number())
        case "UIDNEXT": return .uidNext(try inside.number())
        case "CAPABILITY": return .capability(inside.capabilities())
        case "AUTHENTICATIONFAILED": return .authenticationFailed
        default: return nil
        }
    }

    private mutating func capabilities() -> Capabilities {
        var found: Capabilities = []
        while let name = word() { found.formUnion(Capabilities(name: name)) }
        return found
    }

    private mutating func numbers() throws(IMAPFault) -> [UInt32] {
        var numbers: [UInt32] = []
        // A list of them may end with what CONDSTORE adds (RFC 7162 section 3.1.5).
        while !rest.isEmpty, !skip("(") { numbers.append(try number()) }
        return numbers
    }

    /// The first of the three lists (RFC 2342 section 6).
    private mutating func namespaces() throws(IMAPFault) -> [Namespace] {
        guard skip("(") else { return [] }
        var found: [Namespace] = []
        while !skip(")") {
            guard skip("("), let prefix = try string() else { throw .malformed }
            skipSpaces()
            let separator = try string()
            guard separator.map({ $0.count == 1 }) ?? true else { throw .malformed }
            found.append(Namespace(prefix: prefix, separator: separator?.first))
            try skipList()
            skipSpaces()
        }
        return found
    }

    private mutating func message() throws(IMAPFault) -> FetchedMessage {
        guard skip("(") else { throw .malformed }
        var message = FetchedMessage()
        while !skip(")") {
            let name = try itemName()
            skipSpaces()
            switch name {
            case "UID": message.uid = try number()
            case "INTERNALDATE": message.internalDate = try string().flatMap(InternalDate.seconds)
            case "BODY[": message.header = try string()
            default: try skipValue()
            }
            skipSpaces()
        }
        return message
    }

    /// The name of an item; of one with a section the part before it, because only one is ever asked for.
    private mutating func itemName() throws(IMAPFault) -> String {
        let name = take { !" [()".utf8.contains($0) }
        guard !name.isEmpty else { throw .malformed }
        guard skip("[") else { return Self.upper(Array(name)) }
        _ = take { $0 != UInt8(ascii: "]") }
        _ = take { $0 != UInt8(ascii: " ") }
        return Self.upper(Array(name)) + "["
    }
}
