internal import Glibc
public import Posix
public import Spool

/// The file in `corrupt` that says for each entry there why: time, name, owner and reason, no content.
///
/// Opened before anything is moved there, so that no entry of its name can take its place.
public struct ReasonsLog: ~Copyable {
    /// Its name there.
    public static let name = SpoolName(bytes: Array("reasons.log".utf8))
    /// The most bytes of the file; past it the older half goes.
    static let maximumBytes = 1 << 20

    private let file: FileDescriptor

    /// Opens the file, creating it where it is missing.
    public init(in corrupt: borrowing Directory) throws(SystemCallError) {
        file = try corrupt.open(Self.name.bytes, O_RDWR | O_APPEND | O_CREAT, mode: 0o600)
    }

    /// Adds one line.
    ///
    /// - Parameters:
    ///   - name: the entry's name in `corrupt`.
    ///   - owner: the uid of its owner.
    ///   - damage: why it is there.
    ///   - time: since when.
    public func append(_ name: SpoolName, owner: UInt32, _ damage: SpoolEntryDamage, at time: WallTime)
        throws(SystemCallError)
    {
        let line = Array("\(time.text) \(name.text) uid=\(owner) \(damage.rawValue)\n".utf8)
        if try file.status().st_size > Self.maximumBytes - line.count { try halve() }
        try file.writeAll(line)
    }

    private func halve() throws(SystemCallError) {
        let kept = try file.read(upTo: Self.maximumBytes).suffix(Self.maximumBytes / 2)
        try file.setSize(0)
        try file.writeAll(Array(kept.drop { $0 != 0x0A }.dropFirst()))
    }

    /// The last reason that the file gives for each name, by the name's text; nothing where there is no file yet.
    public static func reasons(in corrupt: borrowing Directory) throws(SystemCallError) -> [String: String] {
        let file: FileDescriptor
        do throws(SystemCallError) {
            file = try corrupt.open(name.bytes, O_RDONLY)
        } catch {
            guard error.errno == .notFound else { throw error }
            return [:]
        }
        var reasons: [String: String] = [:]
        for line in try file.read(upTo: maximumBytes).split(separator: 0x0A) {
            let words = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
            if words.count == 4 { reasons[words[1]] = words[3] }
        }
        return reasons
    }
}
