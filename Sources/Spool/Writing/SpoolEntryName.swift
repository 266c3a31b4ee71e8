/// The name of an entry's file, such as `0001790000000000.9f86d081884c7d65`: it sorts by time and can't be guessed.
///
/// In a directory where everybody may add files, whoever guesses a name can stat it or take it in advance: hence 64
/// random bits. The time has the 16 digits of 2^53, so that it sorts as long as the contract can tell the time.
public struct SpoolEntryName: Sendable {
    /// The name, without a NUL at the end.
    public let bytes: [UInt8]

    /// Makes a name.
    ///
    /// - Parameters:
    ///   - at: the entry's time in milliseconds since the epoch; what lies outside the contract's range is moved to
    ///     its nearest end.
    ///   - random: 64 bits from the kernel's generator.
    public init(at: Int64, random: UInt64) {
        var digits: [UInt8] = []
        var time = UInt64(min(max(at, 0), SpoolEntry.latestTime))
        for _ in 0..<16 {
            digits.append(UInt8(ascii: "0") + UInt8(time % 10))
            time /= 10
        }
        let hexDigits = (0..<16).map { index -> UInt8 in
            let value = UInt8(random >> (60 - 4 * index) & 0xF)
            return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        }
        bytes = digits.reversed() + [UInt8(ascii: ".")] + hexDigits
    }
}
