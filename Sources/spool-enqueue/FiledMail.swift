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
            isDirectory: { FileStatus($0)?.isDirectory == true },
            isMaildir: { FileStatus($0)?.isSame(as: mailbox) == true })
        guard let found else { return nil }
        folder = found.name
        file = found.filed
    }
}
