/// When a message came, as IMAP writes it: `17-Jul-1996 02:44:25 -0700` (RFC 3501 section 9, date-time).
enum InternalDate {
    private static let months = [
        "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
    ]

    /// Seconds since the epoch, or nil when the text isn't such a date.
    static func seconds(_ text: [UInt8]) -> Int64? {
        guard text.count == 26 else { return nil }
        func number(_ place: Int, _ length: Int) -> Int64? {
            // The day may begin with a space.
            let digits = text[place..<(place + length)].drop { place == 0 && $0 == UInt8(ascii: " ") }
            return UInt32(decimalDigits: digits).map(Int64.init)
        }
        let marks = [2: "-", 6: "-", 11: " ", 14: ":", 17: ":", 20: " "]
        guard marks.allSatisfy({ text[$0.key] == $0.value.utf8.first }),
            let month = months.firstIndex(of: String(decoding: text[3..<6], as: UTF8.self).uppercased()),
            let day = number(0, 2), let year = number(7, 4), let hour = number(12, 2),
            let minute = number(15, 2), let second = number(18, 2), let zoneHours = number(22, 2),
            let zoneMinutes = number(24, 2), text[21] == UInt8(ascii: "+") || text[21] == UInt8(ascii: "-"),
            (1...31).contains(day), hour < 24, minute < 60, second <= 60, zoneMinutes < 60
        else { return nil }
        let zone = (zoneHours * 60 + zoneMinutes) * (text[21] == UInt8(ascii: "-") ? -60 : 60)
        return days(year, Int64(month + 1), day) * 86_400 + hour * 3600 + minute * 60 + second - zone
    }

    /// Days since the epoch: with years that begin in March the leap day comes last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let century = (year >= 0 ? year : year - 399) / 400
        let yearOfFour = year - century * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return century * 146_097 + yearOfFour * 365 + yearOfFour / 4 - yearOfFour / 100 + dayOfYear - 719_468
    }
}
