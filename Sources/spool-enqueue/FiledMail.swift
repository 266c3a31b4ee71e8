internal import CLibc

/// Where procmail filed a mail, as its TRAP and the file system tell; paths count from the working directory.
struct FiledMail {
    let folder: [UInt8]
    /// The base name of its file; a mail in an mbox has none.
    let file: [UInt8]?

    /// Finds the mail; nil when it wasn't filed in the user's mailbox.
    ///
    /// procmail runs TRAP also after a failure (its exit code isn't 0), after a pipe (LASTFOLDER is a command line)
    /// and for /dev/null.
    init?(_ trap: EnqueueArguments.Trap) {
        guard trap.exitCode == bytes("0"), let mailbox = FileStatus(trap.maildir) else { return nil }
        if mailbox.isRegular {
            guard FileStatus(trap.lastFolder)?.isSame(as: mailbox) == true else { return nil }
            folder = bytes("INBOX")
            file = nil
            return
        }
        let found = MaildirFolder(
            lastFolder: trap.lastFolder,
            isFile: { FileStatus($0)?.isRegular == true },
            holds: Self.holds,
            isMaildir: { FileStatus($0)?.isSame(as: mailbox) == true })
        guard let found else { return nil }
        folder = found.name
        file = found.filed
    }

    /// Whether a directory has a file of this base name, alone or with flags behind a colon.
    private static func holds(_ directory: [UInt8], _ baseName: [UInt8]) -> Bool {
        guard let stream = opendir(cString(directory)) else { return false }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let isSought = withUnsafeBytes(of: &entry.pointee.d_name) { name in
                let end = name.dropFirst(baseName.count).first
                return name.starts(with: baseName) && (end == 0 || end == UInt8(ascii: ":"))
            }
            if isSought { return true }
        }
        return false
    }
}
