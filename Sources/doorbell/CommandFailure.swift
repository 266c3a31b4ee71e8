internal import Settings
internal import Posix
internal import Queue
internal import SpoolDirectories
internal import TokenSealing

/// Why a command wasn't carried out, where no library has said it already.
struct CommandFailure: Error, Equatable, CustomStringConvertible {
    let exitCode: ExitCode
    let description: String

    /// The exit code for any error (sysexits.h): 64 usage, 65 not a token, 69 no such device or entry, no queue or
    /// spool, or nothing to salvage, 73 no directory for a queue, 74 I/O, 75 busy, 77 permission or an unsafe place,
    /// 78 configuration.
    static func exitCode(of error: any Error) -> ExitCode {
        switch error {
        case let failure as CommandFailure: failure.exitCode
        case is DoorbellArguments.UsageError: .usage
        case is ConfigurationError: .configuration
        case let error as QueueError: error.exitCode
        case let error as TokenKeyFile.Failure: error.exitCode
        case let error as SpoolFault: error.exitCode
        case let error as UnsafePlace: error.exitCode
        case let error as LockFile.Failure: error.exitCode
        case let error as SystemCallError where error.errno == .permissionDenied: .noPermission
        default: .inputOutput
        }
    }
}
