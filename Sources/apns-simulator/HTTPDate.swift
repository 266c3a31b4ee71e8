internal import Glibc
internal import Posix

/// A point in time as header fields have it (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Nil beyond the years that have four digits.
    static func text(_ time: WallTime) -> String? {
        var seconds = time_t(time.seconds)
        var date = tm()
        guard gmtime_r(&seconds, &date) != nil, (-1_900..<8_100).contains(date.tm_year) else { return nil }
        let year = String(date.tm_year + 11_900).dropFirst()
        let day = "\(days[Int(date.tm_wday)]), \(twoDigits(date.tm_mday)) \(months[Int(date.tm_mon)]) \(year)"
        return "\(day) \(twoDigits(date.tm_hour)):\(twoDigits(date.tm_min)):\(twoDigits(date.tm_sec)) GMT"
    }

    private static func twoDigits(_ number: CInt) -> Substring { String(100 + number).dropFirst() }
}
