internal import Glibc
internal import Posix
internal import Spool

/// The file in `corrupt` that says for each entry there why: time, name, owner and reason, no content.
///
/// Opened before anything is moved there, so that no entry of its name can take its place.
struct ReasonsLog: ~Copyable {
    static let name = SpoolName(bytes: Array("reasons.log".utf8))
    /// The most bytes of the file; past it the older half goes.
    static let maximumBytes = 1 << 20

    private let file: FileDescriptor

    /// Opens the file, creating it where it is missing.
    init(in corrupt: borrowing Directory) throws(SystemCallError) {
        file = try corrupt.open(Self.name.bytes, O_RDWR | O_APPEND | O_CREAT, mode: 0o600)
    }

    /// Adds one line.
    func append(_ entry: DamagedEntry, at time: WallTime) throws(SystemCallError) {
        let line = Self.line(entry, at: time)
        if try file.status().st_size > Self.maximumBytes - line.count { try halve() }
        try file.writeAll(line)
    }

    private func halve() throws(SystemCallError) {
        let kept = try file.read(upTo: Self.maximumBytes).suffix(Self.maximumBytes / 2)
        try file.setSize(0)
        try file.writeAll(Array(kept.drop { $0 != 0x0A }.dropFirst()))
    }

    /// The line's bytes; of the name, whatever isn't a plain character is written as `\x0a`.
    static func line(_ entry: DamagedEntry, at time: WallTime) -> [UInt8] {
        var name = ""
        for byte in entry.name.bytes {
            if (0x21...0x7E).contains(byte) && byte != 0x5C {
                name.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                name += "\\x\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))"
            }
        }
        return Array("\(time.text) \(name) uid=\(entry.owner) \(entry.damage.rawValue)\n".utf8)
    }
}
