/// Reads the headers of HTTP/2 frames as they come from a client (RFC 9113 sections 3.4 and 4.1): what was on the
/// wire, whatever a library makes of it.
struct FrameScanner {
    struct Frame: Equatable {
        let type: UInt8
        let flags: UInt8
        let stream: Int32

        /// The whole frame.
        func bytes(_ payload: [UInt8]) -> [UInt8] {
            let numbers = [payload.count >> 16, payload.count >> 8, payload.count, Int(type), Int(flags)]
            let id = [stream >> 24, stream >> 16, stream >> 8, stream].map { UInt8(truncatingIfNeeded: $0) }
            return numbers.map { UInt8(truncatingIfNeeded: $0) } + id + payload
        }
    }

    /// What comes before the header of the next frame: at first the client's preface.
    private var toSkip = 24
    private var rest: [UInt8] = []

    /// Gives the frames whose headers are complete with these bytes.
    mutating func frames(in bytes: [UInt8]) -> [Frame] {
        rest += bytes
        var frames: [Frame] = []
        var start = 0
        while true {
            let skipped = min(toSkip, rest.count - start)
            start += skipped
            toSkip -= skipped
            guard toSkip == 0, rest.count - start >= 9 else { break }
            let header = rest[start..<start + 9].map { Int($0) }
            toSkip = header[0] << 16 | header[1] << 8 | header[2]
            let stream = Int32((header[5] & 0x7F) << 24 | header[6] << 16 | header[7] << 8 | header[8])
            frames.append(Frame(type: UInt8(header[3]), flags: UInt8(header[4]), stream: stream))
            start += 9
        }
        rest.removeFirst(start)
        return frames
    }
}

extension [FrameScanner.Frame] {
    /// PINGs that ask, not those that answer.
    var pings: Int { count { $0.type == 6 && $0.flags & 1 == 0 } }
    /// Streams that were reset.
    var resets: [Int32] { filter { $0.type == 3 }.map(\.stream) }
    /// Streams that were opened.
    var opened: [Int32] { filter { $0.type == 1 }.map(\.stream) }
}
