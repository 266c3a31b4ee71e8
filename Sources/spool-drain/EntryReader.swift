internal import Glibc
internal import Posix
internal import Queue
internal import Spool

/// Reads entries of the spool without ever waiting for, following or believing what others put there.
struct EntryReader {
    /// What came of reading a batch.
    struct Result {
        var notices: [NewNotice] = []
        var damaged: [DamagedEntry] = []
        var unfinished = 0
        /// What kept an entry from being read this time.
        var trouble: SystemCallError?
    }

    let judge: EntryJudge

    /// Reads these entries; what has vanished leaves no trace.
    func read(_ names: [SpoolName], in spool: SpoolDirectory, now: WallTime) -> Result {
        var result = Result()
        for name in names {
            do throws(SystemCallError) {
                let status = try spool.new.status(of: name.bytes)
                switch try verdict(name, in: spool, now) {
                case .notice(let notice): result.notices.append(notice)
                case .damaged(let damage):
                    result.damaged.append(DamagedEntry(name: name, owner: status.st_uid, damage: damage))
                case .unfinished: result.unfinished += 1
                }
            } catch {
                if error.errno == .notFound { continue }
                result.unfinished += 1
                result.trouble = error
            }
        }
        return result
    }

    private func verdict(_ name: SpoolName, in spool: SpoolDirectory, _ now: WallTime)
        throws(SystemCallError) -> EntryVerdict
    {
        let file: FileDescriptor
        do throws(SystemCallError) {
            // Without O_NONBLOCK a FIFO would stop the drain for ever and a lease on a file for 45 s.
            file = try spool.new.open(name.bytes, O_RDONLY | O_NONBLOCK)
        } catch {
            switch error.errno {
            case .tooManyLinks, .noDevice: return .damaged(.notRegular)
            case .permissionDenied: return .damaged(.unreadable)
            case .wouldBlock: return .unfinished
            default: throw error
            }
        }
        let facts = EntryFacts(try file.status())
        if let verdict = judge.verdict(unread: facts, now: now) { return verdict }
        // One byte more than allowed tells a file that has grown since.
        let bytes = try file.read(upTo: SpoolEntry.maximumSize + 1)
        return try judge.verdict(name, facts, bytes, now: now, uid: UserDatabase.uid(of:))
    }
}
