/// The path of a file in the `new/` or `cur/` of a Maildir, taken apart.
///
/// Paths of directories keep the slash at their end, so that "" is the working directory and "/" the root.
struct FiledPath {
    private let path: ArraySlice<UInt8>
    private let directory: ArraySlice<UInt8>
    private let fileName: ArraySlice<UInt8>

    /// Takes a path apart; nil when it doesn't end in `new/` or `cur/` and a name.
    init?(_ path: ArraySlice<UInt8>) {
        let (box, fileName) = Self.split(path)
        let (directory, boxName) = Self.split(Self.withoutSlash(box))
        guard !fileName.isEmpty, boxName.elementsEqual(bytes("new")) || boxName.elementsEqual(bytes("cur"))
        else {
            return nil
        }
        self.path = path
        self.directory = directory
        self.fileName = fileName
    }

    /// The length of the whole path in bytes.
    var length: Int { path.count }

    /// The file's name without the flags behind ":" (cr.yp.to/proto/maildir.html).
    var baseName: [UInt8] { Array(fileName.prefix { $0 != UInt8(ascii: ":") }) }

    /// Whether a mail was filed here and is still in the folder.
    ///
    /// By now a server may have moved it to `cur/` under any flags: then a file with its base name is there. That
    /// directory is looked through only for a name as deliveries make it.
    func isOfMail(isFile: ([UInt8]) -> Bool, holds: ([UInt8], [UInt8]) -> Bool) -> Bool {
        isFile(Array(path)) || hasUniqueName && holds(Array(directory) + bytes("cur"), baseName)
    }

    /// Whether the name is seconds since the epoch, something unique and a host (cr.yp.to/proto/maildir.html).
    private var hasUniqueName: Bool {
        let parts = fileName.split(separator: UInt8(ascii: "."), maxSplits: 2)
        return parts.count == 3 && parts[0].count >= 10
            && parts[0].allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            && !fileName.contains(UInt8(ascii: " "))
    }

    /// The name of the folder, or nil when it doesn't lie below the user's Maildir.
    ///
    /// Going up by name and asking for each directory, rather than comparing paths, finds the Maildir whatever
    /// symbolic links lead to it.
    func folder(below isMaildir: ([UInt8]) -> Bool) -> [UInt8]? {
        var directory = directory
        var levels: [ArraySlice<UInt8>] = []
        while !isMaildir(Array(directory) + [UInt8(ascii: ".")]) {
            let (parent, level) = Self.split(Self.withoutSlash(directory))
            guard levels.count < MaildirFolder.maximumDepth, !level.isEmpty,
                !level.elementsEqual(bytes(".")), !level.elementsEqual(bytes(".."))
            else { return nil }
            levels.insert(level, at: 0)
            directory = parent
        }
        if let only = levels.first, levels.count == 1, only.first == UInt8(ascii: ".") {
            return Self.decoded(only.dropFirst())
        }
        return levels.isEmpty
            ? bytes("INBOX") : Array(levels.map(Self.decoded).joined(separator: [UInt8(ascii: "/")]))
    }

    private static func decoded(_ name: ArraySlice<UInt8>) -> [UInt8] {
        ModifiedUTF7.decode(Array(name)) ?? Array(name)
    }

    private static func split(_ path: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ArraySlice<UInt8>) {
        let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? path.startIndex
        return (path[..<start], path[start...])
    }

    private static func withoutSlash(_ directory: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var directory = directory
        while directory.last == UInt8(ascii: "/") { directory.removeLast() }
        return directory
    }
}
