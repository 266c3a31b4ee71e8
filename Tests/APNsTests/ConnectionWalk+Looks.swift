import APNs

/// What is looked at after each event.
extension ConnectionWalk {
    /// Runs the timer as a loop does.
    mutating func lookAtTime() throws {
        var calls = 0
        while let due = machine.nextTimer(), due <= now {
            calls += 1
            try hold(calls <= 4, "a timer that makes no progress")
            switch machine.timer(now: now) {
            case .none: break
            case .ping:
                try hold(now >= lastHeard + limits.quiet, "a PING to somebody who speaks")
                try hold(openCount > 0 || now >= lastHeard + limits.idle, "a PING for nothing")
                pings += 1
            case .cancel(let late):
                try hold(!late.isEmpty, "nothing to cancel")
                for stream in late {
                    try hold(since[place(of: stream)] + limits.response <= now, "cancelled too soon")
                    try take(stream, "cancelled")
                }
                if machine.isRetired { isLeft = true }
            case .close(let ending):
                endings["\(ending)", default: 0] += 1
                if ending == .drained { try hold(isLeft, "a connection drained without a reason") }
                if ending == .refusing {
                    try hold(refusedAfter != nil, "a refusal out of the blue")
                    try hold(openCount == 0, "a refusal that takes along what may be answered")
                }
                if ending == .silent, limit != 0 {
                    try hold(now >= lastHeard + limits.pong, "silence of somebody who speaks")
                }
                return try lose()
            }
        }
        try hold(isClosed || machine.nextTimer() != nil, "a connection that waits for nothing")
        while oldestPlace < marks.count, marks[oldestPlace] == .ended { oldestPlace += 1 }
        if oldestPlace < marks.count {
            try hold(since[oldestPlace] + limits.response > now, "a stream without an end in time")
        }
    }

    func examine() throws {
        let free = machine.freeStreams
        try hold(machine.openStreams == openCount, "another number of open streams")
        if isLeft || isClosed {
            try hold(free == 0 && machine.isRetired, "a connection that was left takes requests")
        }
        if free > 0 { try hold(free + openCount <= limit ?? 0, "more streams than the server allows") }
    }
}
