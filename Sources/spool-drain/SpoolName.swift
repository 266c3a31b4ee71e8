internal import Spool

/// The name of a file in the spool: bytes, because anybody may have chosen them.
struct SpoolName: Hashable, Comparable, Sendable {
    let bytes: [UInt8]

    /// Whether it is a temporary one: an entry that is still being written, or was never finished.
    var isTemporary: Bool { bytes.first == SpoolTemporary.prefix }

    /// The order of names is the order of time, because the hook's names start with it.
    static func < (left: SpoolName, right: SpoolName) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
