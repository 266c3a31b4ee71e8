internal import Glibc

/// Lines for a person, beside the records on standard output.
enum StandardError {
    /// Writes one line; whether anybody reads it doesn't matter.
    static func tell(_ line: String) {
        let bytes = Array("apns-simulator: \(line)\n".utf8)
        _ = write(2, bytes, bytes.count)
    }
}
