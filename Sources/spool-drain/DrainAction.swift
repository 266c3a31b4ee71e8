internal import Posix
internal import Queue
internal import SpoolDirectories

/// Why a scan is made: a closed set for the metrics.
enum DrainCause: String, CaseIterable, Sendable {
    case start, wake, timeout, overflow, backlog, retry, room

    /// Whether it also looks at what is held back, as far as a pass goes.
    var looksAtAll: Bool { self == .start || self == .timeout || self == .overflow || self == .room }
}

/// What the loop is to do; each ends in the event that is named behind it.
enum DrainAction: Equatable, Sendable {
    /// Watch the spool, afresh: `.watching`.
    case watch
    /// List the spool: `.scanned`, `.failed` or `.broken`.
    case scan(DrainCause)
    /// Read and judge these entries: `.read`.
    case read([SpoolName])
    /// Move these to corrupt/: `.setAside`.
    case setAside([DamagedEntry])
    /// Commit these: `.inserted`, `.failed` or `.broken`.
    case insert([NewNotice])
    /// Remove these, which are committed: `.unlinked`.
    case unlink([SpoolName])
    /// Tell dispatch: `.triggered`.
    case trigger
    /// Ask the queue whether an account of which entries are held back has room: `.room` or `.broken`.
    case askForRoom
    /// Do nothing for so long: `.rested`.
    case rest(Duration)
    /// Wait for the spool: `.appeared`, `.timedOut`, `.interrupted`, `.overflowed` or `.gone`.
    case wait(seconds: Int)
    /// End with this exit code.
    case exit(ExitCode)
}

/// What has happened.
enum DrainEvent: Equatable, Sendable {
    case started
    /// Whether the spool can be heard.
    case watching(Bool)
    /// The first `round` names are of as many owners; `leftOut` more are there. `isWatched` is false when another
    /// directory was scanned than is watched. It began at `start`, by the time of files.
    case scanned(names: [SpoolName], round: Int = 1, leftOut: Int, isWatched: Bool, start: WallTime)
    case read(notices: [NewNotice], damaged: [DamagedEntry], unfinished: Int)
    /// How many are out of the way; what nobody but root can move, such as somebody's full directory, is `stuck`, and
    /// what couldn't be moved this time is `left`.
    case setAside(settled: Int, stuck: [SpoolName], left: Int)
    /// All are committed but those that are held back, because their accounts have no room.
    case inserted(heldBack: [NewNotice] = [])
    /// How many are gone.
    case unlinked(Int)
    case triggered
    case room(Bool)
    case rested
    /// Something failed that may work later; everything is still where it was.
    case failed
    /// The queue, or where this process stands, failed in a way that only a new process gets over.
    case broken(exitCode: ExitCode)
    /// A name has appeared; what it names has last `changed` then, or is gone already.
    case appeared(SpoolName, changed: WallTime?)
    case timedOut
    case interrupted
    case overflowed
    /// The watched directory isn't where it was.
    case gone
}
