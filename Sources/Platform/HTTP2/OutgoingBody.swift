internal import CNghttp2

/// A body on its way to nghttp2, which asks for pieces as flow control allows.
struct OutgoingBody {
    private let bytes: [UInt8]
    private let frameBytes: Int
    private var given = 0

    /// Gives out `bytes`, at most `frameBytes` at once.
    init(_ bytes: [UInt8], frameBytes: Int = .max) {
        self.bytes = bytes
        self.frameBytes = frameBytes
    }

    /// Copies the next piece; gives its length and whether it was the last.
    mutating func next(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isLast: Bool) {
        let piece = bytes[given...].prefix(min(buffer.count, frameBytes))
        buffer.copyBytes(from: piece)
        given += piece.count
        return (piece.count, given == bytes.count)
    }
}

/// Runs `body` with what nghttp2 needs to fetch a message's body; with nil for an empty one, whose headers end it.
func withDataProvider<Result>(
    for body: [UInt8], _ use: (UnsafePointer<nghttp2_data_provider>?) -> Result
) -> Result {
    if body.isEmpty { return use(nil) }
    var provider = nghttp2_data_provider()
    provider.read_callback = { _, stream, buffer, length, flags, _, user in
        guard let session = HTTP2Session.of(user), let buffer, let flags,
            let piece = session.outgoingBodies[stream]?.next(into: .init(start: buffer, count: length))
        else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
        // Without this flag nghttp2 would ask for ever; with it, it never asks again.
        if piece.isLast { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return piece.count
    }
    return use(&provider)
}

/// Runs `use` with `fields` in nghttp2's form: pointers into one block of bytes.
func withNameValuePairs<Result>(
    _ fields: [HeaderField], _ use: (UnsafePointer<nghttp2_nv>?, Int) -> Result
) -> Result {
    var text: [UInt8] = []
    for field in fields {
        text += field.name.utf8
        text += field.value.utf8
    }
    return text.withUnsafeMutableBufferPointer { text in
        var rest = text.baseAddress
        let pairs = fields.map { field in
            var pair = nghttp2_nv()
            pair.name = rest
            pair.namelen = field.name.utf8.count
            pair.value = rest.map { $0 + pair.namelen }
            pair.valuelen = field.value.utf8.count
            if field.indexing == .never { pair.flags = UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) }
            rest = pair.value.map { $0 + pair.valuelen }
            return pair
        }
        return use(pairs, pairs.count)
    }
}
