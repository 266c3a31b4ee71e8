/// A date as HTTP headers have it (RFC 9110 section 5.6.7).
///
/// | form | |
/// |---|---|
/// | `Sun, 06 Nov 1994 08:49:37 GMT` | what is sent today |
/// | `Sunday, 06-Nov-94 08:49:37 GMT` | obsolete; years from 70 are of the last century |
/// | `Sun Nov  6 08:49:37 1994` | obsolete, as C writes dates |
public enum HTTPDate {
    /// Reads a date; nil for anything else, such as the 30th of February.
    ///
    /// The day of the week isn't compared with the date: it adds nothing.
    ///
    /// - Returns: seconds since the epoch.
    public static func seconds(_ text: String) -> Int64? {
        let fields = text.split(separator: " ")
        guard text.utf8.count <= longest, let weekday = fields.first?.prefix(3),
            weekdays.contains(String(weekday))
        else { return nil }
        switch fields.count {
        case 6 where fields[5] == "GMT":
            return seconds(
                year: number(fields[3], digits: 4...4), month: fields[2],
                day: number(fields[1], digits: 2...2),
                time: fields[4])
        case 4 where fields[3] == "GMT":
            let date = fields[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3 else { return nil }
            return seconds(
                year: number(date[2], digits: 2...2).map { $0 + ($0 < 70 ? 2000 : 1900) }, month: date[1],
                day: number(date[0], digits: 2...2), time: fields[2])
        case 5:
            return seconds(
                year: number(fields[4], digits: 4...4), month: fields[1],
                day: number(fields[2], digits: 1...2),
                time: fields[3])
        default: return nil
        }
    }

    /// `Wednesday, 06-Nov-94 08:49:37 GMT`.
    private static let longest = 33

    private static let weekdays: Set<String> = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func seconds(year: Int?, month: Substring, day: Int?, time: Substring) -> Int64? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let year, let day, let month = months.firstIndex(of: String(month)),
            (1...daysInMonth(month, of: year)).contains(day), clock.count == 3,
            let hour = number(clock[0], digits: 2...2), hour < 24,
            let minute = number(clock[1], digits: 2...2), minute < 60,
            // 60 is a leap second.
            let second = number(clock[2], digits: 2...2), second <= 60
        else { return nil }
        let days = daysSinceEpoch(year: year, month: month, day: day)
        return Int64(((days * 24 + hour) * 60 + minute) * 60 + second)
    }

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func daysInMonth(_ month: Int, of year: Int) -> Int {
        switch month {
        case 1: isLeap(year) ? 29 : 28
        case 3, 5, 8, 10: 30
        default: 31
        }
    }

    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        // Whole years before this one, counted from year 0, and 719,528 days from there to 1970.
        let before = year - 1
        let leapDays = year > 0 ? before / 4 - before / 100 + before / 400 + 1 : 0
        let months = (0..<month).reduce(0) { $0 + daysInMonth($1, of: year) }
        return year * 365 + leapDays + months + day - 1 - 719_528
    }
}
