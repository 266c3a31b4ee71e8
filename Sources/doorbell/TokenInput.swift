internal import APNs
internal import Posix

/// The device token as it comes on standard input: never as an argument, which all users of a machine can see.
enum TokenInput {
    /// More than the longest token and any white space around it.
    private static let maximumBytes = 1024

    /// Reads to the end of the input.
    static func read(from input: borrowing FileDescriptor) throws -> DeviceToken {
        var bytes: [UInt8] = []
        while bytes.count <= maximumBytes {
            let more = try input.read(upTo: maximumBytes)
            if more.isEmpty { break }
            bytes += more
        }
        return try token(bytes)
    }

    /// Takes white space off both ends and reads the digits.
    ///
    /// The failure says what is wrong without repeating what came.
    static func token(_ input: [UInt8]) throws(CommandFailure) -> DeviceToken {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let start = input.firstIndex { !isSpace($0) } ?? input.endIndex
        let end = (input.lastIndex { !isSpace($0) } ?? start - 1) + 1
        let text = String(decoding: input[start..<max(start, end)], as: UTF8.self)
        if let token = DeviceToken(hexadecimal: text) { return token }
        throw CommandFailure(
            exitCode: .dataError,
            description: text.isEmpty
                ? "no device token on standard input" : "standard input holds no device token: \(fault(text))"
        )
    }

    private static func fault(_ text: String) -> String {
        let strange = text.count { !($0.isASCII && $0.isHexDigit) }
        guard strange == 0 else {
            let verb = strange == 1 ? "isn't a hexadecimal digit" : "aren't hexadecimal digits"
            return "of its characters \(strange) \(verb); leave out blanks and brackets"
        }
        return "it has \(text.count) characters instead of 64 to 400 hexadecimal digits, two for each byte"
    }
}
