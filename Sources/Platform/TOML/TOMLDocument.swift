internal import CTOML

/// Reads TOML 1.0 documents.
public enum TOMLDocument {
    /// Reads a whole document; gives its top table.
    ///
    /// - Throws: the first fault; a key given twice is one.
    public static func parse(_ bytes: [UInt8]) throws(TOMLError) -> TOMLTable {
        var reading = Reading()
        bytes.withUnsafeBytes { bytes in
            let document = ctoml_text(
                bytes: bytes.bindMemory(to: CChar.self).baseAddress, length: bytes.count)
            withUnsafeMutablePointer(to: &reading) { ctoml_parse(document, $0, visit, complain) }
        }
        if let error = reading.error { throw error }
        return reading.top
    }
}

/// What the walk through a document has found so far.
private struct Reading {
    var top: TOMLTable = [:]
    var error: TOMLError?
    /// Tables and arrays that are still being filled, the innermost last.
    private var open: [(key: String, value: TOMLValue)] = []

    mutating func met(_ value: ctoml_value) {
        let position = TOMLPosition(value.position)
        let key = String(value.key)
        switch value.kind {
        case CTOML_TABLE: open.append((key, TOMLValue(position: position, content: .table([:]))))
        case CTOML_ARRAY: open.append((key, TOMLValue(position: position, content: .array([]))))
        case CTOML_END: if let (key, value) = open.popLast() { add(key, value) }
        default: add(key, TOMLValue(position: position, content: content(value)))
        }
    }

    private func content(_ value: ctoml_value) -> TOMLValue.Content {
        switch value.kind {
        case CTOML_STRING: .string(String(value.string))
        case CTOML_INTEGER: .integer(value.integer)
        case CTOML_FLOAT: .float(value.number)
        case CTOML_BOOLEAN: .boolean(value.boolean)
        default: .dateOrTime
        }
    }

    private mutating func add(_ key: String, _ value: TOMLValue) {
        guard let (outerKey, outer) = open.popLast() else {
            top[key] = value
            return
        }
        let content: TOMLValue.Content
        switch outer.content {
        case .table(var table):
            table[key] = value
            content = .table(table)
        case .array(let elements): content = .array(elements + [value])
        case .string, .integer, .float, .boolean, .dateOrTime: content = outer.content
        }
        open.append((outerKey, TOMLValue(position: outer.position, content: content)))
    }
}

/// Called by toml++ for each value; the context is the `Reading`.
private func visit(_ context: UnsafeMutableRawPointer?, _ value: UnsafePointer<ctoml_value>?) {
    guard let context, let value else { return }
    context.assumingMemoryBound(to: Reading.self).pointee.met(value.pointee)
}

/// Called by toml++ once for a document that isn't TOML.
private func complain(_ context: UnsafeMutableRawPointer?, _ cause: ctoml_text, _ position: ctoml_position) {
    context?.assumingMemoryBound(to: Reading.self).pointee.error =
        TOMLError(position: TOMLPosition(position), cause: String(cause))
}

extension TOMLPosition {
    fileprivate init(_ position: ctoml_position) {
        self.init(line: Int(position.line), column: Int(position.column))
    }
}

extension String {
    fileprivate init(_ text: ctoml_text) {
        let bytes = UnsafeRawBufferPointer(start: text.bytes, count: text.length)
        self.init(decoding: bytes, as: UTF8.self)
    }
}
