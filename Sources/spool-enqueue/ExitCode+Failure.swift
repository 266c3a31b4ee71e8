internal import CLibc

extension ExitCode {
    /// The code for an entry that couldn't be published.
    static func of(_ failure: SpoolFailure) -> ExitCode {
        switch failure.errno {
        // Shortages, which pass: of disk, of descriptors, of memory.
        case ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM: return .temporaryFailure
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
