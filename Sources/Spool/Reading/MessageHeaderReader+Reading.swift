extension MessageHeaderReader {
    /// The header's Message-ID.
    public var messageID: [UInt8] { header.messageID }
}
