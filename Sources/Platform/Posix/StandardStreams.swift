internal import Glibc

/// Standard input, output and error.
public enum StandardStreams {
    /// Opens `/dev/null` in place of those the program was started without; call it before anything is opened.
    ///
    /// Else the first files it opens would take their numbers, and what is meant for a log would be written into a
    /// lock or a database.
    public static func fill() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            // The lowest free number is what open(2) gives: this one. All programs that it starts inherit it.
            _ = open("/dev/null", O_RDWR)
        }
    }
}
