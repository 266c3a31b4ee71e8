internal import Queue
internal import SpoolDirectories

extension DrainMachine {
    /// The rest of one scan's work.
    struct Pass: Equatable {
        var rest: ArraySlice<SpoolName>
        var leftOut: Int
        /// How many are read however long it takes, and until when it goes on.
        var atLeast: Int
        var until: Duration
        /// Set where an entry that was heard of is read alone, without a scan: the wait that goes on afterwards.
        var resumes: Wait?
        var settled = 0
        var heldBack = 0
        var unfinished = 0
    }

    /// A time to wait for, by the boot clock, so that no number of wakes puts it off.
    struct Wait: Equatable {
        enum Purpose {
            /// The next regular scan.
            case rescan
            /// Entries that somebody is at.
            case unfinished
            /// The next question whether there is room for what is held back.
            case room
            /// The next try of what failed; no wake shortens it, or a storm of them would spin.
            case pause
        }

        let purpose: Purpose
        let until: Duration
    }

    /// What it is at.
    enum State: Equatable {
        case idle
        case establishing(thenScan: DrainCause)
        case scanning
        case reading(Pass)
        case settingAside(Pass, thenInsert: [NewNotice])
        case inserting(Pass, [NewNotice])
        case unlinking(Pass)
        case triggering(Pass)
        case waiting(Wait)
        case asking(Wait)
        case resting(thenScan: DrainCause)
        case ended
    }
}
