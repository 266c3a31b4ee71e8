internal import Glibc
internal import Posix
internal import Queue
internal import Spool
internal import SpoolDirectories

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

    private let judge: EntryJudge
    private var accounts = AccountAnswers()

    /// A reader that judges with this judge.
    init(judge: EntryJudge) { self.judge = judge }

    /// From now on accounts are asked for afresh.
    mutating func startPass() { accounts = AccountAnswers() }

    /// Reads these entries, or as many as it comes to before it is to stop; what has vanished leaves no trace.
    mutating func read(
        _ names: [SpoolName], in spool: SpoolDirectory, now: @autoclosure () -> WallTime,
        isStopping: @autoclosure () -> Bool = false
    ) -> Result {
        var result = Result()
        for name in names {
            if isStopping() { break }
            do throws(SystemCallError) {
                guard let facts = try facts(of: name, in: spool) else { continue }
                switch try verdict(name, facts, in: spool, now) {
                case .notice(let notice): result.notices.append(notice)
                case .damaged(let damage):
                    result.damaged.append(DamagedEntry(name: name, owner: facts.owner, damage: damage))
                case .unfinished: result.unfinished += 1
                case nil: continue
                }
            } catch {
                result.unfinished += 1
                result.trouble = error
            }
        }
        return result
    }

    /// What it is; nil when it has vanished.
    private func facts(of name: SpoolName, in spool: SpoolDirectory) throws(SystemCallError) -> EntryFacts? {
        do throws(SystemCallError) {
            return EntryFacts(try spool.new.status(of: name.bytes))
        } catch  where error.errno == .notFound {
            return nil
        }
    }

    /// What is to be done with it; nil when it has vanished.
    ///
    /// ENOENT about an account is another matter, and is thrown.
    private mutating func verdict(
        _ name: SpoolName, _ unopened: EntryFacts, in spool: SpoolDirectory, _ now: () -> WallTime
    ) throws(SystemCallError) -> EntryVerdict? {
        let file: FileDescriptor
        do throws(SystemCallError) {
            // Without O_NONBLOCK a FIFO would stop the drain for ever and a lease on a file for 45 s.
            file = try spool.new.open(name.bytes, O_RDONLY | O_NONBLOCK)
        } catch {
            switch error.errno {
            case .tooManyLinks, .noDevice: return .damaged(.notRegular)
            case .permissionDenied: return judge.verdict(unopened: unopened, now: now())
            case .wouldBlock: return .unfinished
            case .notFound: return nil
            default: throw error
            }
        }
        let facts = EntryFacts(try file.status())
        // Asked for each entry, after its own time: accounts can be slow, and an entry from the future gets no patience.
        let now = now()
        if let verdict = judge.verdict(unread: facts, now: now) { return verdict }
        // One byte more than allowed tells a file that has grown since.
        let bytes = try file.read(upTo: SpoolEntry.maximumSize + 1)
        return try judge.verdict(name, facts, bytes, now: now) { user throws(SystemCallError) in
            try accounts.uid(of: user)
        }
    }
}
