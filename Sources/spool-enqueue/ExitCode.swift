internal import CLibc

/// How `--strict` reports a failure: the codes of sysexits.h.
enum ExitCode: CInt {
    case ok = 0
    case usage = 64
    case unavailable = 69
    case cannotCreate = 73
    case inputOutput = 74
    case temporary = 75
    case noPermission = 77

    /// The code for an entry that couldn't be published.
    static func of(_ failure: SpoolFailure) -> ExitCode {
        switch failure.errno {
        // Shortages, which pass: of disk, of descriptors, of memory.
        case ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM: return .temporary
        case ENOENT: return .unavailable
        case EACCES, EPERM: return .noPermission
        default: break
        }
        switch failure.step {
        case .openDirectory, .findRoom, .create: return .cannotCreate
        case .write, .setMode, .flush, .link, .flushName: return .inputOutput
        }
    }
}
