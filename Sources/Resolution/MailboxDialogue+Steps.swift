internal import IMAP
internal import Spool

/// What follows on what.
extension MailboxDialogue {
    /// A command has ended: says the next one, or gives the answer.
    mutating func proceed(_ status: Response.Status) throws(IMAPFault) -> Answer? {
        let isOK = status.kind == .ok
        switch step {
        case .greeting, .idle: throw .unexpected
        case .authenticating:
            guard isOK else { throw status.code == .authenticationFailed ? .lockedOut : .refused }
            step = .askingNamespaces
            try say(.namespace)
            return nil
        case .askingNamespaces:
            // One that knows none has names as they are.
            step = .idle
            return question == nil ? nil : try open()
        case .examining(let names):
            return isOK ? try examined(names) : try examine(Array(names.dropFirst()))
        case .refreshing: return isOK ? try search() : try examine(names)
        case .searchingGUID:
            // Only Dovecot has this key.
            if status.kind == .bad { knowsGUID = false }
            guard isOK, !found.isEmpty else { return try searchMessageID() }
            return answer(.guid, found.map { Finding.Candidate(uid: $0) })
        case .searchingMessageID:
            guard isOK, !found.isEmpty else { return answer(.messageID, []) }
            return try fetch(.messageID, found)
        case .fetching(let clue, _): return answer(clue, candidates)
        }
    }

    /// Begins with a question.
    mutating func open() throws(IMAPFault) -> Answer? {
        // As bytes: to Swift names are equal that look alike.
        guard let folder, let question, folder.asked.utf8.elementsEqual(question.folder.utf8) else {
            return try examine(names)
        }
        step = .refreshing
        try say(.noop)
        return nil
    }

    /// From which UID on messages are looked for.
    var firstUID: UInt32 {
        let highest = folder?.highestUID ?? 0
        return highest > Self.window ? highest - Self.window : 1
    }

    private var names: [String] { FolderNames.candidates(for: question?.folder ?? "", in: namespaces) }

    private mutating func examine(_ names: [String]) throws(IMAPFault) -> Answer? {
        folder = nil
        guard let name = names.first else { return answer(.messageID, []) }
        step = .examining(names)
        try say(.examine(ModifiedUTF7.encode(name)))
        return nil
    }

    private mutating func examined(_ names: [String]) throws(IMAPFault) -> Answer? {
        // A folder without UIDs that last has none that could be named (RFC 3501 section 6.3.1).
        guard let question, let name = names.first, let uidValidity, uidValidity > 0 else {
            return answer(.messageID, [])
        }
        folder = OpenFolder(
            asked: question.folder, name: name, uidValidity: uidValidity, highestUID: max(uidNext ?? 1, 1) - 1
        )
        return try search()
    }

    private mutating func search() throws(IMAPFault) -> Answer? {
        if let uid = question?.uid { return answer(.entry, [Finding.Candidate(uid: uid)]) }
        guard let guid = question?.guid, knowsGUID else { return try searchMessageID() }
        step = .searchingGUID
        try say(.search(.guid(guid), from: firstUID))
        return nil
    }

    private mutating func searchMessageID() throws(IMAPFault) -> Answer? {
        if let id = question?.messageID, !id.isEmpty {
            step = .searchingMessageID
            try say(.search(.messageID(id), from: firstUID))
            return nil
        }
        // Where the mail's file is known, a guess knows nothing better; in a mailbox made anew it means another mail.
        guard let question, question.guid == nil, let hint = question.uidHint,
            question.uidValidity == nil || question.uidValidity == folder?.uidValidity
        else { return answer(.messageID, []) }
        let (last, overflow) = hint.addingReportingOverflow(UInt32(Self.mostCandidates - 1))
        return try fetch(.hint, Array(hint...(overflow ? .max : last)))
    }

    private mutating func fetch(_ clue: Finding.Clue, _ uids: [UInt32]) throws(IMAPFault) -> Answer? {
        step = .fetching(clue, uids)
        try say(.fetch(uids))
        return nil
    }

    private mutating func answer(_ clue: Finding.Clue, _ candidates: [Finding.Candidate]) -> Answer {
        step = .idle
        question = nil
        hasAnswered = true
        guard !candidates.isEmpty, let open = folder else { return .nothing }
        // An entry's own the server hasn't borne out.
        if clue != .entry { folder?.highestUID = max(open.highestUID, candidates.map(\.uid).max() ?? 0) }
        return .found(
            Finding(folder: open.name, uidValidity: open.uidValidity, clue: clue, candidates: candidates))
    }
}
