import Foundation
import Posix

/// A time as servers write it in `date` (RFC 9110 section 5.6.7).
func httpDate(_ time: WallTime) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000))
}
