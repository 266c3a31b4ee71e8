/// What happened on a connection, in the order it happened.
public enum HTTP2Event: Equatable, Sendable {
    /// A whole header block: a request, a response (an informational one too, RFC 9110 section 15.2) or trailers.
    ///
    /// Fields stand as they came, repeated ones too.
    case headers(stream: Int32, [HeaderField])
    /// A piece of the body; how much of it to keep is the receiver's business.
    case data(stream: Int32, [UInt8])
    /// The peer has said all it has to say on this stream.
    case endOfStream(Int32)
    /// The stream is over, in good order (`noError` after `endOfStream`) or not; nothing follows about it.
    case streamClosed(Int32, code: ErrorCode)
    /// The request never left, since GOAWAY or a reset came before its turn; nothing follows about it.
    case requestNotSent(stream: Int32)
    /// The peer will go: streams above `lastStreamID` weren't processed and are reported closed by themselves.
    case goAway(lastStreamID: Int32, code: ErrorCode, data: [UInt8])
    /// The peer's settings, at the start and whenever they change.
    case settings(PeerSettings)
    /// The answer to a PING, with its eight bytes.
    case pingAcknowledged([UInt8])
}
