/// Apple's `apns-id` for a wake: the same one in every try and in every life of the queue.
///
/// A UUID version 5 (RFC 9562 section 5.5) over what the wake was made from. A spool name has 64 random bits, so
/// nobody can recompute it from what the mail said.
public enum NotificationID {
    /// This project's name space, a random UUID chosen once.
    private static let nameSpace: [UInt8] = [
        0x5b, 0x0e, 0x1d, 0x6a, 0x93, 0x4c, 0x4f, 0x27, 0xa8, 0x51, 0x0c, 0xd7, 0x3e, 0x62, 0xf4, 0x19,
    ]

    /// Makes the id in its canonical form.
    ///
    /// - Parameters:
    ///   - ownerUID: who owned the spool entry.
    ///   - spoolName: the entry's name.
    ///   - topic: the app.
    ///   - token: the device.
    ///   - sha1: SHA-1, 20 bytes.
    public static func text(
        ownerUID: UInt32, spoolName: [UInt8], topic: String, token: [UInt8], sha1: ([UInt8]) -> [UInt8]
    ) -> String {
        let name =
            Array("\(ownerUID)/".utf8) + spoolName + Array("/\(topic)/\(hexadecimalText(token))".utf8)
        var uuid = Array(sha1(nameSpace + name).prefix(16))
        uuid[6] = uuid[6] & 0x0F | 0x50
        uuid[8] = uuid[8] & 0x3F | 0x80
        let text = hexadecimalText(uuid)
        var groups: [Substring] = []
        var rest = text[...]
        for length in [8, 4, 4, 4, 12] {
            groups.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return groups.joined(separator: "-")
    }

    /// The canonical form of an id that a person has typed or copied, in letters of either case; nil when it is none.
    public static func canonical(_ text: String) -> String? {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        let isDigit: (UInt8) -> Bool = { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], groups.allSatisfy({ $0.utf8.allSatisfy(isDigit) })
        else { return nil }
        return text.lowercased()
    }
}
