internal import Glibc

extension WallTime {
    /// The point as RFC 3339 has it, in UTC with milliseconds: `2026-11-30T04:31:00.123Z`.
    ///
    /// A time beyond what the C library's calendar holds is given as bare milliseconds.
    public var text: String {
        var time = time_t(seconds)
        var date = tm()
        guard gmtime_r(&time, &date) != nil else { return "\(milliseconds) ms" }
        let fraction = (milliseconds % 1000 + 1000) % 1000
        let day = "\(date.tm_year + 1900)-\(padded(date.tm_mon + 1))-\(padded(date.tm_mday))"
        let hour = "\(padded(date.tm_hour)):\(padded(date.tm_min)):\(padded(date.tm_sec))"
        return "\(day)T\(hour).\(padded(fraction, 3))Z"
    }
}

private func padded(_ number: some BinaryInteger, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
