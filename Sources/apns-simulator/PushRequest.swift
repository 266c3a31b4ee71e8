internal import HTTP2

/// One request as it arrived, complete.
struct PushRequest {
    /// Fields and pseudo fields in order, repeated ones too.
    var headers: [HeaderField]
    /// The payload, up to `keptBodyBytes` of it.
    var body: [UInt8] = []

    /// More of a body isn't kept: it is too large by then in any case.
    static let keptBodyBytes = 16_384

    /// Adds a piece of the body.
    mutating func append(_ piece: [UInt8]) { body += piece.prefix(Self.keptBodyBytes - body.count) }
}
