/// The bytes of a literal: `String` would link its Unicode machinery into the hook.
func bytes(_ literal: StaticString) -> [UInt8] { literal.withUTF8Buffer(Array.init) }

/// Bytes as the C library takes a string: it ends at the first NUL.
func cString(_ bytes: [UInt8]) -> [CChar] { (bytes + [0]).map(CChar.init(bitPattern:)) }

/// The digits of a number that isn't negative.
func decimal(_ number: CInt) -> [UInt8] {
    number < 10 ? [UInt8(ascii: "0") + UInt8(number)] : decimal(number / 10) + decimal(number % 10)
}

extension [UInt8] {
    /// Whether these are the bytes of a literal.
    func equals(_ literal: StaticString) -> Bool {
        literal.withUTF8Buffer { count == $0.count && elementsEqual($0) }
    }
}

extension UInt8 {
    /// An ASCII letter in small, any other byte as it is.
    var lowered: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}

extension UInt32 {
    /// Reads decimal digits and nothing else; nil when there are none, or too many for 32 bits.
    init?(decimal digits: some Collection<UInt8>) {
        guard !digits.isEmpty else { return nil }
        var value: UInt32 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(UInt32(digit - UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        self = value
    }
}
