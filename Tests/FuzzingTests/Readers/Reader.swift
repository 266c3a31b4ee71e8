/// The readers of what others write, each with what it promises whatever it is given.
///
/// Compiled twice: for the tests, which go through the inputs that are kept, and for `make fuzz`, which makes up more.
enum Reader: String, CaseIterable {
    /// What the hook reads of a mail.
    case header
    /// What the drain reads of an entry.
    case entry
    case configuration
    /// What dispatch reads of Apple's answers.
    case answer
    /// What the simulator is told to do.
    case script
    /// What dispatch hears from a mail server.
    case imap
    /// What it hears from doveadm.
    case doveadm

    /// Has an input read.
    func check(_ input: [UInt8]) throws(BrokenPromise) {
        switch self {
        case .header: try Self.header(input)
        case .entry: try Self.entry(input)
        case .configuration: try Self.configuration(input)
        case .answer: try Self.answer(input)
        case .script: try Self.script(input)
        case .imap: try Self.imap(input)
        case .doveadm: try Self.doveadm(input)
        }
    }
}

/// What a reader did that it mustn't.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String
}

/// Throws unless it is so.
func promise(_ isSo: Bool, _ what: @autoclosure () -> String) throws(BrokenPromise) {
    if !isSo { throw BrokenPromise(description: what()) }
}

/// Whether a text can go into a log as one line that no terminal obeys.
func isOneLine(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
}
