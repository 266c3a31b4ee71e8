/// The folder into which procmail filed a mail, told from its variable LASTFOLDER.
public struct MaildirFolder: Equatable, Sendable {
    /// The longest LASTFOLDER that is looked at, in bytes.
    public static let maximumLength = 8192
    /// How deep a folder may lie below the Maildir.
    static let maximumDepth = 16

    /// The folder as the server names it, in UTF-8.
    ///
    /// The separators are Dovecot's defaults: `.` for Maildir++, `/` for folders in folders. A name that isn't
    /// modified UTF-7 stays as it is on the disk.
    public let name: [UInt8]
    /// The base name of the mail's file, without the flags that a server appends to it.
    public let filed: [UInt8]

    /// Finds the first mail in LASTFOLDER that was filed into `new/` or `cur/` of a folder of the user's Maildir.
    ///
    /// LASTFOLDER is the path of the file, or several paths separated by spaces (procmailrc(5)), where a path may have
    /// spaces too: each of them must be an existing file in the `new/` or `cur/` of some Maildir, so that the command
    /// line of a pipe is none.
    ///
    /// - Parameters:
    ///   - lastFolder: the variable's value.
    ///   - isFile: tells whether a path is that of a regular file.
    ///   - holds: tells whether a directory has a file of this base name, under any flags.
    ///   - isMaildir: tells whether a path leads to the user's Maildir.
    public init?(
        lastFolder: [UInt8], isFile: ([UInt8]) -> Bool, holds: ([UInt8], [UInt8]) -> Bool,
        isMaildir: ([UInt8]) -> Bool
    ) {
        guard lastFolder.count <= Self.maximumLength else { return nil }
        var rest = lastFolder[...]
        while let file = Self.firstFile(rest, isFile, holds) {
            if let name = file.folder(below: isMaildir) {
                self.name = name
                filed = file.baseName
                return
            }
            rest = rest.dropFirst(file.length + 1)
        }
        return nil
    }

    /// The file whose path stands at the start, up to the end or to one of the spaces.
    private static func firstFile(
        _ paths: ArraySlice<UInt8>, _ isFile: ([UInt8]) -> Bool, _ holds: ([UInt8], [UInt8]) -> Bool
    ) -> FiledPath? {
        var end = paths.startIndex
        while end < paths.endIndex {
            end = paths[(end + 1)...].firstIndex(of: UInt8(ascii: " ")) ?? paths.endIndex
            if let file = FiledPath(paths[..<end]), file.isOfMail(isFile: isFile, holds: holds) {
                return file
            }
        }
        return nil
    }
}
