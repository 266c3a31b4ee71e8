internal import Posix
internal import TOML

/// Takes the keys of one table one by one, so that at the end whatever is left is unknown.
struct TableReader {
    private let file: String
    private let name: String?
    private let position: TOMLPosition?
    private let table: TOMLTable
    private var known: Set<String> = []

    /// The document's top table.
    init(file: String, document: TOMLTable) {
        self.init(file: file, name: nil, table: document, position: nil)
    }

    private init(file: String, name: String?, table: TOMLTable, position: TOMLPosition?) {
        (self.file, self.name, self.table, self.position) = (file, name, table, position)
    }

    /// Whether the table has this key.
    func has(_ key: String) -> Bool { table[key] != nil }

    /// Accepts keys whatever their values are: they are taken later, or don't matter.
    mutating func allow(_ keys: String...) { known.formUnion(keys) }

    /// A table inside this one; an empty one where it is missing.
    mutating func table(_ key: String) throws(ConfigurationError) -> TableReader {
        let table = try take(key, "must be a table") { if case .table(let table) = $0 { table } else { nil } }
        return TableReader(file: file, name: key, table: table ?? [:], position: self.table[key]?.position)
    }

    /// A text that follows `rule`, where there is one.
    mutating func string(_ key: String, _ rule: TextRule) throws(ConfigurationError) -> String? {
        try take(key, "must be \(rule.wanted)") {
            if case .string(let text) = $0, rule.isMet(text) { text } else { nil }
        }
    }

    /// A text that follows `rule` and has to be there.
    mutating func required(_ key: String, _ rule: TextRule) throws(ConfigurationError) -> String {
        if let text = try string(key, rule) { return text }
        throw ConfigurationError(
            file: file, position: position, key: path(key), fault: "is missing; it must be \(rule.wanted)")
    }

    /// Where a server of this machine listens, where it is said.
    mutating func localAddress(_ key: String) throws(ConfigurationError) -> SocketAddress? {
        let fault = "must be 127.0.0.1:PORT, [::1]:PORT or the absolute path of a socket: it isn't encrypted"
        return try take(key, fault) {
            if case .string(let text) = $0 { SocketAddress(local: text) } else { nil }
        }
    }

    /// A file by its absolute path, where there is one.
    mutating func file(_ key: String) throws(ConfigurationError) -> NamedFile? {
        try string(key, .absolutePath).map { named($0, key) }
    }

    /// A file by its absolute path that has to be named.
    mutating func requiredFile(_ key: String) throws(ConfigurationError) -> NamedFile {
        named(try required(key, .absolutePath), key)
    }

    /// The error for something else that is wrong with the table.
    func fault(_ fault: String) -> ConfigurationError {
        ConfigurationError(file: file, position: position, key: name, fault: fault)
    }

    private func named(_ file: String, _ key: String) -> NamedFile {
        NamedFile(path: file, configuration: self.file, position: table[key]?.position, key: path(key))
    }

    /// A list of texts that each follow `rule`.
    mutating func strings(_ key: String, _ rule: TextRule) throws(ConfigurationError) -> [String]? {
        try list(key, of: rule.wanted) {
            if case .string(let text) = $0, rule.isMet(text) { text } else { nil }
        }
    }

    /// One of an enumeration's names.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(_ key: String, of: Choice.Type)
        throws(ConfigurationError) -> Choice?
    {
        try take(key, "must be \(Self.names(of: Choice.self))") { Self.choice($0) }
    }

    /// A list of an enumeration's names.
    mutating func choices<Choice: RawRepresentable<String> & CaseIterable>(_ key: String, of: Choice.Type)
        throws(ConfigurationError) -> [Choice]?
    {
        try list(key, of: Self.names(of: Choice.self)) { Self.choice($0) }
    }

    private static func names<Choice: RawRepresentable<String> & CaseIterable>(of: Choice.Type) -> String {
        Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    }

    private static func choice<Choice: RawRepresentable<String>>(_ content: TOMLValue.Content) -> Choice? {
        if case .string(let text) = content { Choice(rawValue: text) } else { nil }
    }

    /// True or false.
    mutating func boolean(_ key: String) throws(ConfigurationError) -> Bool? {
        try take(key, "must be true or false") { if case .boolean(let value) = $0 { value } else { nil } }
    }

    /// A whole number that `isWanted`.
    mutating func integer<Number: FixedWidthInteger>(
        _ key: String, _ wanted: String, _ isWanted: (Number) -> Bool
    ) throws(ConfigurationError) -> Number? {
        try take(key, "must be \(wanted)") { Self.integer($0, isWanted) }
    }

    /// A list of whole numbers that each are wanted.
    mutating func integers<Number: FixedWidthInteger>(
        _ key: String, _ wanted: String, _ isWanted: (Number) -> Bool
    ) throws(ConfigurationError) -> [Number]? {
        try list(key, of: wanted) { Self.integer($0, isWanted) }
    }

    private mutating func list<Element>(
        _ key: String, of wanted: String, _ read: (TOMLValue.Content) -> Element?
    ) throws(ConfigurationError) -> [Element]? {
        try take(key, "must be a list of \(wanted)") { content in
            guard case .array(let values) = content else { return nil }
            let elements = values.compactMap { read($0.content) }
            return elements.count == values.count ? elements : nil
        }
    }

    /// A duration with its unit, such as "90s".
    mutating func duration(_ key: String, in bounds: ClosedRange<Duration>) throws(ConfigurationError)
        -> Duration?
    {
        let low = DurationText.text(bounds.lowerBound)
        let high = DurationText.text(bounds.upperBound)
        let isShort = bounds.lowerBound < .seconds(1)
        let examples = isShort ? "\"500ms\" or \"2s\"" : "\"90s\", \"5m\", \"1h\" or \"7d\""
        let fault = "must be a duration like \(examples), from \(low) to \(high)"
        return try take(key, fault) {
            guard case .string(let text) = $0,
                let duration = DurationText.duration(text, inMilliseconds: isShort)
            else { return nil }
            return bounds.contains(duration) ? duration : nil
        }
    }

    /// Throws for the first key, in the file's order, that nobody has asked for.
    func refuseUnknownKeys() throws(ConfigurationError) {
        let unknown = table.filter { !known.contains($0.key) }
        let first = unknown.min { left, right in
            (left.value.position.line, left.value.position.column)
                < (right.value.position.line, right.value.position.column)
        }
        guard let first else { return }
        throw ConfigurationError(
            file: file, position: first.value.position, key: path(first.key), fault: "is not a known key")
    }

    private mutating func take<Value>(
        _ key: String, _ fault: String, _ read: (TOMLValue.Content) -> Value?
    ) throws(ConfigurationError) -> Value? {
        known.insert(key)
        guard let value = table[key] else { return nil }
        if let read = read(value.content) { return read }
        throw ConfigurationError(file: file, position: value.position, key: path(key), fault: fault)
    }

    private static func integer<Number: FixedWidthInteger>(
        _ content: TOMLValue.Content, _ isWanted: (Number) -> Bool
    ) -> Number? {
        guard case .integer(let value) = content, let number = Number(exactly: value), isWanted(number) else {
            return nil
        }
        return number
    }

    private func path(_ key: String) -> String { name.map { "\($0).\(key)" } ?? key }
}
