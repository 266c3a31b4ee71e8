/// What a `dovecot-uidlist` tells about the next mail of its folder.
public enum UIDList {
    /// As much of the file as is looked at; its first line is about 60 bytes long.
    public static let readLimit = 512

    /// The UID that the next mail would get, by the file's first line: `3 V1275660208 N25022 G3085f01b7f11…`.
    ///
    /// It is a guess, because mail that is being filed may take it first. Only version 3 of the format is known
    /// (doc.dovecot.org, "Maildir", dovecot-uidlist).
    ///
    /// - Parameter start: the first bytes of the file; nil comes back when they hold no whole first line.
    public static func nextUID(_ start: [UInt8]) -> UInt32? {
        guard let end = start.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let fields = start[..<end].split(separator: UInt8(ascii: " "))
        guard fields.first?.elementsEqual([UInt8(ascii: "3")]) == true,
            let next = fields.dropFirst().first(where: { $0.first == UInt8(ascii: "N") }),
            let uid = UInt32(decimal: next.dropFirst()), uid > 0
        else { return nil }
        return uid
    }
}
