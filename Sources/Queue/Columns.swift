internal import Posix
internal import SQLite

extension Value {
    /// A time in milliseconds, or NULL.
    init(_ time: WallTime?) { self.init(time?.milliseconds) }
}

extension Row {
    /// A time in milliseconds.
    func time(_ column: Int32) -> WallTime { WallTime(milliseconds: integer(column)) }

    /// A time in milliseconds, or nil for NULL.
    func optionalTime(_ column: Int32) -> WallTime? {
        optionalInteger(column).map { WallTime(milliseconds: $0) }
    }

    /// A number of tries, as far as it can be true, so that nobody who counts on overflows.
    func count(_ column: Int32) -> Int { min(max(0, integer(column)), QueueStore.maximumCount) }
}

extension WallTime {
    /// The last whole second up to this time.
    ///
    /// Due times are coarse: rows due in random order would cost several times as much.
    var roundedDownToSecond: WallTime { WallTime(milliseconds: milliseconds - milliseconds % 1000) }

    /// The first whole second from this time on.
    var roundedUpToSecond: WallTime { advanced(by: .milliseconds(999)).roundedDownToSecond }
}
