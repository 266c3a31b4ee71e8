/// Reads the header of a mail that arrives in pieces, and keeps of it what `MailHeader` tells.
///
/// The result doesn't depend on where the pieces are cut. Lines may end in LF or CR LF; folded fields are unfolded
/// (RFC 5322 section 2.2.3), and white space may stand before a colon (section 4.5.8).
public struct MessageHeaderReader: Sendable {
    /// The most bytes that are kept of a value: enough for any Message-ID or address, and to tell that one is longer.
    static let maximumLength = 256

    private enum State {
        case lineStart
        case name
        /// White space behind the name.
        case nameEnd
        case value
        case otherLine
        /// A CR at the start of a line: an LF makes it the empty line.
        case emptyLine
        case finished
    }

    private var state = State.lineStart
    private var isFirstLine = true
    /// The field's name, in small letters.
    private var name: [UInt8] = []
    /// The field whose value is being read, or could go on in the line that begins.
    private var field: SoughtField?
    private var value: [UInt8] = []
    private var found = MailHeader()

    /// Starts at the first byte of a mail.
    public init() {}

    /// Whether further bytes can't change the result.
    public var isFinished: Bool { state == .finished }

    /// What the header tells if the mail ended here.
    ///
    /// A line that the mail's end may have cut tells nothing, but for a Message-ID that `>` or a blank closes.
    public var header: MailHeader {
        guard let field else { return found }
        if state == .value {
            let isClosed = value.last == UInt8(ascii: ">") || value.contains(UInt8(ascii: " "))
            guard field == .messageID && isClosed else { return found }
        }
        var header = found
        header.take(field, value)
        return header
    }

    /// Takes the next piece of the mail.
    public mutating func receive(_ piece: some Sequence<UInt8>) {
        for byte in piece {
            if isFinished { return }
            if byte == UInt8(ascii: "\n") {
                endLine()
            } else if state != .otherLine {
                take(byte)
            }
        }
    }

    private mutating func take(_ byte: UInt8) {
        let isBlank = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
        switch state {
        case .lineStart:
            if isBlank {
                state = field == nil ? .otherLine : .value
                addBlank()
            } else if byte == UInt8(ascii: "\r") {
                state = .emptyLine
            } else {
                endField()
                name.removeAll(keepingCapacity: true)
                state = .name
                take(byte)
            }
        case .name, .nameEnd:
            if byte == UInt8(ascii: ":") {
                begin(SoughtField(name))
            } else if isBlank {
                state = .nameEnd
            } else if state == .name && name.count < SoughtField.longestName {
                name.append(byte.lowered)
            } else if state == .nameEnd && isFirstLine && name.equals("from") {
                begin(.sender)
                value.append(byte)
            } else {
                state = .otherLine
            }
        case .value:
            if isBlank || byte == UInt8(ascii: "\r") {
                addBlank()
            } else if value.count < Self.maximumLength {
                value.append(byte)
            }
        case .emptyLine:
            endField()
            state = .otherLine
        case .otherLine, .finished: break
        }
    }

    private mutating func begin(_ field: SoughtField?) {
        self.field = field
        value.removeAll(keepingCapacity: true)
        state = field == nil ? .otherLine : .value
    }

    /// Blanks in a row, and those of a fold, count as one; those before a value as none.
    private mutating func addBlank() {
        guard let last = value.last, last != UInt8(ascii: " "), value.count < Self.maximumLength else {
            return
        }
        value.append(UInt8(ascii: " "))
    }

    private mutating func endLine() {
        isFirstLine = false
        if state == .lineStart || state == .emptyLine {
            endField()
            state = .finished
        } else {
            state = .lineStart
        }
    }

    // Inlined at its three callers it would make the hook a page larger.
    @inline(never)
    private mutating func endField() {
        if let field { found.take(field, value) }
        field = nil
    }
}
