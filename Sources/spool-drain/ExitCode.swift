/// How the program ends (sysexits.h).
///
/// | code | when |
/// |---|---|
/// | 0 | the spool is drained (`--once`), or it was asked to stop |
/// | 64 | wrong arguments |
/// | 69 | a directory of the spool is missing |
/// | 70 | a fault of this program |
/// | 73 | the queue's directory is missing, or the lock can't be made |
/// | 74 | the queue can't be read or written |
/// | 75 | another drain is running, something else has come to a path, or `--once` met something that passes |
/// | 77 | a directory or a file isn't safe, or the queue may not be opened |
/// | 78 | the configuration is wrong, or others can write to it |
enum ExitCode {
    static let ok: Int32 = 0
    static let usage: Int32 = 64
    static let unavailable: Int32 = 69
    static let bug: Int32 = 70
    static let cannotCreate: Int32 = 73
    static let temporary: Int32 = 75
    static let permission: Int32 = 77
    static let configuration: Int32 = 78
}
