/// Keeps a flood of mail from becoming a flood of wakes: a burst at once, then one now and then.
///
/// A device hears at once of 20 mails in a folder, and each 10 s give it one more, up to 20 again. A wake beyond
/// that is held until the next of those moments, and while one is held every further wake gets the same moment: the
/// newest takes the place of the held one, which loses nothing, since a wake makes the app look at the folder.
///
/// It lives in memory: a restart gives everybody a new burst. Devices and folders that are flooded at the same time
/// beyond a bound are forgotten, the least flooded half of them at once, which costs them nothing but wakes too many.
struct WakeAllowance: Equatable, Sendable {
    /// How many wakes go out at once.
    static let burst = 20
    /// How long it takes until one more may.
    static let interval: Duration = .seconds(10)
    /// How many devices and folders are remembered.
    static let maximumKeys = 10_000

    /// What a wake is told.
    enum Take: Equatable {
        case now
        /// Until then, in time since boot.
        case held(until: Duration)
    }

    private struct Key: Hashable {
        let device: Int64
        let folder: String
    }

    private struct Use: Equatable {
        /// When the whole burst is there again, as if each wake so far had taken an interval.
        var fullAt: Duration
        /// When the wake that was held last goes out.
        var heldUntil: Duration
    }

    private var uses: [Key: Use] = [:]

    /// How many devices and folders are remembered now.
    var keys: Int { uses.count }

    /// Takes a place for a wake.
    ///
    /// - Parameters:
    ///   - device: its id.
    ///   - folder: the folder that the mail is in.
    ///   - now: time since boot.
    mutating func take(device: Int64, folder: String, now: Duration) -> Take {
        let key = Key(device: device, folder: folder)
        var use = uses[key] ?? Use(fullAt: now, heldUntil: now)
        if now < use.heldUntil { return .held(until: use.heldUntil) }
        if uses[key] == nil { makeRoom(now: now) }
        use.fullAt = max(use.fullAt, now) + Self.interval
        use.heldUntil = max(now, use.fullAt - Self.interval * Self.burst)
        uses[key] = use
        return use.heldUntil > now ? .held(until: use.heldUntil) : .now
    }

    /// Forgets who has a whole burst, which changes nothing, and if that isn't enough, who is nearest to it.
    private mutating func makeRoom(now: Duration) {
        guard uses.count >= Self.maximumKeys else { return }
        uses = uses.filter { $0.value.fullAt > now }
        guard uses.count >= Self.maximumKeys else { return }
        let median = uses.values.map(\.fullAt).sorted()[uses.count / 2]
        uses = uses.filter { $0.value.fullAt > median }
    }
}
