public import Glibc

/// A point in wall-clock time, in milliseconds since 1970-01-01 00:00 UTC: for whatever outlives the process.
public struct WallTime: Comparable, Hashable, Sendable {
    /// Milliseconds since the epoch; negative before it.
    public var milliseconds: Int64

    /// Wraps milliseconds since the epoch.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The present, by CLOCK_REALTIME.
    public static var now: WallTime {
        let time = read(CLOCK_REALTIME)
        return WallTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The present as the kernel stamps files with it, by CLOCK_REALTIME_COARSE: at most one tick behind `now`.
    ///
    /// What happens to a file later never has an earlier ctime, as long as nobody sets the clock back.
    public static var ofFiles: WallTime {
        let time = read(CLOCK_REALTIME_COARSE)
        return WallTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// When an inode last changed, its ctime: the one time of a file that nobody can set.
    public init(lastChangeOf status: stat) {
        let time = status.st_ctim
        milliseconds = Int64(time.tv_sec &* 1000 &+ time.tv_nsec / 1_000_000)
    }

    /// When a file's content last changed, or what its owner calls that, its mtime.
    public init(lastWriteOf status: stat) {
        let time = status.st_mtim
        milliseconds = Int64(time.tv_sec &* 1000 &+ time.tv_nsec / 1_000_000)
    }

    /// Whole seconds since the epoch, rounded down.
    public var seconds: Int64 { milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0) }

    /// This point moved by a duration; saturates instead of overflowing.
    public func advanced(by duration: Duration) -> WallTime {
        let (sum, overflow) = milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        return WallTime(milliseconds: overflow ? (duration > .zero ? .max : .min) : sum)
    }

    /// The time that has passed since an earlier point; negative when it is the later one.
    public func since(_ earlier: WallTime) -> Duration {
        .milliseconds(milliseconds.subtractingReportingOverflow(earlier.milliseconds).partialValue)
    }

    /// Earlier is smaller.
    public static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }
}

/// The clock for spans inside one process: it never jumps and it counts the time a machine sleeps.
public enum BootClock {
    /// The time since the machine started, by CLOCK_BOOTTIME.
    public static var now: Duration {
        let time = read(CLOCK_BOOTTIME)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

extension Duration {
    /// The length in milliseconds, rounded down, saturating.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds > 0 ? .max : .min }
        return scaled + attoseconds / 1_000_000_000_000_000
    }

    /// The length in seconds as a metric has it.
    public var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

private func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    // clock_gettime fails for an unknown clock or a bad pointer only, and neither can be passed here.
    precondition(clock_gettime(clock, &time) == 0)
    return time
}
