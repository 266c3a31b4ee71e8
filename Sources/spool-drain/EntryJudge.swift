internal import Posix
internal import Queue
internal import Spool
internal import SpoolDirectories

/// Decides what a file in the spool is: pure, and trusting nothing.
struct EntryJudge: Sendable {
    /// How long an entry may look cut short, have two names or be closed to us, because somebody is at it.
    ///
    /// The hook publishes whole entries; this is for other writers, such as a shell's redirection.
    static let patience: Duration = .seconds(2)
    private static let passing: Set<SpoolEntryDamage> = [.truncated, .linked, .unreadable]

    /// Users whose entries may speak for anybody.
    let trusted: Set<UInt32>
    /// Which mail rings nobody.
    let quiet: QuietRule

    /// The verdict on a file that isn't worth reading; nil when it is.
    func verdict(unread facts: EntryFacts, now: WallTime) -> EntryVerdict? {
        if !facts.isRegular { return .damaged(.notRegular) }
        if facts.links != 1 { return verdict(on: .linked, facts, now) }
        return facts.size > SpoolEntry.maximumSize ? .damaged(.oversized) : nil
    }

    /// The verdict on a file that we may not open.
    func verdict(unopened facts: EntryFacts, now: WallTime) -> EntryVerdict {
        verdict(unread: facts, now: now) ?? verdict(on: .unreadable, facts, now)
    }

    /// The verdict on a file that was read.
    ///
    /// - Parameter uid: asks for an account's uid; nil when there is no such account.
    func verdict(
        _ name: SpoolName, _ facts: EntryFacts, _ bytes: [UInt8], now: WallTime,
        uid: (String) throws(SystemCallError) -> UInt32?
    ) throws(SystemCallError) -> EntryVerdict {
        let entry: SpoolEntry
        do throws(SpoolEntryDamage) {
            entry = try SpoolEntry.decode(bytes)
        } catch {
            return verdict(on: error, facts, now)
        }
        let user = String(decoding: entry.user, as: UTF8.self)
        if !trusted.contains(facts.owner) {
            guard try uid(user) == facts.owner else { return .damaged(.wrongOwner) }
        }
        return .notice(
            NewNotice(
                ownerUID: facts.owner, spoolName: name.bytes, user: user,
                folder: String(decoding: entry.folder, as: UTF8.self), uid: entry.uid,
                uidValidity: entry.uidValidity, uidHint: entry.uidHint,
                filed: entry.filed.map { String(decoding: $0, as: UTF8.self) },
                messageID: String(decoding: entry.messageID, as: UTF8.self),
                // A wake from the future would never grow old.
                at: min(WallTime(milliseconds: entry.at), facts.changed),
                quietBecause: quiet.reason(for: entry)))
    }

    private func verdict(on damage: SpoolEntryDamage, _ facts: EntryFacts, _ now: WallTime) -> EntryVerdict {
        let isFresh = (facts.changed...facts.changed.advanced(by: Self.patience)).contains(now)
        return isFresh && Self.passing.contains(damage) ? .unfinished : .damaged(damage)
    }
}
