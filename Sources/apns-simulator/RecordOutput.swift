internal import Glibc
internal import Posix

/// Standard output, where the records go.
struct RecordOutput: ~Copyable {
    private let descriptor = FileDescriptor(owning: STDOUT_FILENO, named: "standard output")

    /// Nobody reads the records any more, so there is no point in going on.
    struct Lost: Error, CustomStringConvertible {
        let cause: SystemCallError
        var description: String { cause.description }
    }

    /// What to poll(2) without asking for anything: it tells of a pipe without a reader in any case.
    var rawValue: CInt { descriptor.rawValue }

    /// Writes all of `bytes`, however long the reader takes.
    func write(_ bytes: [UInt8]) throws(Lost) {
        do {
            try descriptor.writeAll(bytes)
        } catch {
            throw Lost(cause: error)
        }
    }
}
