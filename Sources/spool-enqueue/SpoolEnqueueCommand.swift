internal import CLibc

/// Puts one wake into the spool for the mail on standard input, and never gets in the mail's way.
///
/// Whatever happens it exits 0 (but with `--strict`), reads its input to the end and is gone after five seconds. Who
/// it runs for comes from the arguments, and the drain checks it against the file's owner; nothing comes from the
/// environment.
@main
struct SpoolEnqueueCommand {
    static func main() {
        var arguments = EnqueueArguments()
        let fault = read(&arguments)
        if fault == nil, let answer = arguments.answer {
            _ = write(STDOUT_FILENO, answer, answer.count)
            return
        }
        Surroundings.settle(alarmStatus: arguments.strict ? .temporaryFailure : .ok)
        var complaint = Complaint()
        if let fault {
            complaint.add(bytes(fault.text) + bytes("; this mail does not ring; see spool-enqueue --help"))
            // At once: somebody at a terminal would wonder.
            complaint.say()
        }
        var reader = MessageHeaderReader()
        let ending = StandardInput.read { reader.receive($0) }
        var code = ExitCode.usage
        if fault == nil {
            code = ring(arguments, reader.header, ending, &complaint)
            complaint.say()
        }
        exit(arguments.strict ? code.rawValue : ExitCode.ok.rawValue)
    }

    private static func read(_ arguments: inout EnqueueArguments) -> EnqueueArguments.Fault? {
        let given = (1..<max(1, clibc_argument_count())).map { index -> [UInt8] in
            guard let text = clibc_argument(index) else { return [] }
            return UnsafeBufferPointer(start: text, count: strlen(text)).map(UInt8.init(bitPattern:))
        }
        do throws(EnqueueArguments.Fault) {
            try arguments.read(given)
            return nil
        } catch {
            return error
        }
    }

    /// Publishes the entry, if there is a mail to ring for.
    private static func ring(
        _ arguments: EnqueueArguments, _ header: MailHeader, _ ending: StandardInput.Ending,
        _ complaint: inout Complaint
    ) -> ExitCode {
        var filed: FiledMail?
        if let trap = arguments.trap {
            filed = FiledMail(trap)
            if filed == nil { return .ok }
        }
        // A mail whose end didn't come is there all the same, and late is better than never.
        ending.complain(&complaint)
        let folder = arguments.folder ?? filed?.folder ?? bytes("INBOX")
        guard SpoolEntry.isFolder(folder) else {
            complaint.add(bytes("the folder's name is not printable UTF-8; this mail does not ring"))
            return .usage
        }
        let at = StandardInput.milliseconds(CLOCK_REALTIME)
        let entry = SpoolEntry(
            user: arguments.user, folder: folder, uid: arguments.uid, messageID: header.messageID, at: at,
            uidHint: hint(arguments, &complaint), uidValidity: arguments.uidValidity,
            filed: filed?.file.flatMap { SpoolEntry.isFiled($0) ? $0 : nil }, marks: header.marks,
            recipient: header.recipient)
        do throws(SpoolFailure) {
            let publisher = try SpoolPublisher(spool: arguments.spool)
            Surroundings.leave()
            try publisher.publish(entry)
            return .ok
        } catch {
            complaint.add(error, in: arguments.spool)
            return ExitCode.of(error)
        }
    }

    private static func hint(_ arguments: EnqueueArguments, _ complaint: inout Complaint) -> UInt32? {
        guard let path = arguments.uidList else { return nil }
        do throws(UIDListFile.Fault) {
            return try UIDListFile.nextUID(path)
        } catch {
            complaint.add(bytes("--uidlist: ") + error.text + bytes("; this mail rings without a hint"))
            return nil
        }
    }
}
