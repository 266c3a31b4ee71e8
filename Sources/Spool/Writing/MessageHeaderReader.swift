/// Finds the Message-ID in a mail that arrives in pieces, and keeps nothing else of it.
///
/// The result doesn't depend on where the pieces are cut. Lines may end in LF or CR LF; a leading `From ` line is one
/// more line that isn't looked for. The first Message-ID field counts, even one that is no use; white space and a
/// comment around the identifier are left out (RFC 5322 section 3.6.4), folds included (section 2.2.3).
public struct MessageHeaderReader: Sendable {
    private enum State {
        case lineStart
        /// So many bytes of the field's name were seen, in any case.
        case name(Int)
        /// The whole name, and perhaps white space (RFC 5322 section 4.5.8).
        case colon
        case otherLine
        /// A CR at the start of a line: an LF makes it the empty line.
        case emptyLine
        case beforeIdentifier
        case identifier
        case afterIdentifier
        /// The field's line has ended; white space would continue it.
        case fold
        case finished
    }

    private static let fieldName = bytes("message-id")
    private var state = State.lineStart
    private var identifier: [UInt8] = []
    private var isUsable = true

    /// Starts at the first byte of a mail.
    public init() {}

    /// Whether further bytes can't change the result.
    public var isFinished: Bool {
        if case .finished = state { return true }
        return false
    }

    /// The Message-ID if the mail ended here: 1 to 250 bytes of 0x21 to 0x7E, else nothing.
    ///
    /// An identifier that the mail's end may have cut counts only when `>` closes it: a cut one would match other mail.
    public var messageID: [UInt8] {
        if case .identifier = state, identifier.last != UInt8(ascii: ">") { return [] }
        return isUsable && SpoolEntry.isMessageID(identifier) ? identifier : []
    }

    /// Takes the next piece of the mail.
    public mutating func receive(_ piece: some Sequence<UInt8>) {
        for byte in piece {
            if isFinished { return }
            state = state(after: byte)
        }
    }

    private mutating func state(after byte: UInt8) -> State {
        let isSpace = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
        let isLineEnd = byte == UInt8(ascii: "\n")
        switch state {
        case .lineStart:
            if isLineEnd { return .finished }
            if byte == UInt8(ascii: "\r") { return .emptyLine }
            return afterName(0, byte)
        case .name(let count): return isLineEnd ? .lineStart : afterName(count, byte)
        case .colon:
            if byte == UInt8(ascii: ":") { return .beforeIdentifier }
            if isLineEnd { return .lineStart }
            return isSpace ? .colon : .otherLine
        case .emptyLine: return isLineEnd ? .finished : .otherLine
        case .otherLine: return isLineEnd ? .lineStart : .otherLine
        case .fold: return isSpace ? (identifier.isEmpty ? .beforeIdentifier : .afterIdentifier) : .finished
        case .beforeIdentifier, .identifier, .afterIdentifier:
            if isLineEnd { return .fold }
            return inField(byte, isBlank: isSpace || byte == UInt8(ascii: "\r"))
        case .finished: return .finished
        }
    }

    private func afterName(_ count: Int, _ byte: UInt8) -> State {
        let lowered = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        guard lowered == Self.fieldName[count] else { return .otherLine }
        return count + 1 == Self.fieldName.count ? .colon : .name(count + 1)
    }

    private mutating func inField(_ byte: UInt8, isBlank: Bool) -> State {
        switch state {
        case .beforeIdentifier where isBlank: return .beforeIdentifier
        case .identifier where isBlank: return .afterIdentifier
        case .beforeIdentifier, .identifier:
            // One byte over the bound is kept: enough to tell that it was passed.
            if identifier.count <= SpoolEntry.maximumMessageIDLength { identifier.append(byte) }
            return .identifier
        case .afterIdentifier where isBlank: return .afterIdentifier
        default:
            // Only a comment may follow; else there is white space inside the identifier, and no part of it is it.
            isUsable = byte == UInt8(ascii: "(")
            return .finished
        }
    }
}
