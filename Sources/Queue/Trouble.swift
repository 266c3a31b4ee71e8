public import Posix

/// What kind of trouble disk or database is: a closed set, for counters.
public enum Trouble: String, CaseIterable, Sendable {
    case busy, full, permission, missing, corrupt, foreign, moved, key, other
    case readOnly = "read_only"
    case tooManyFiles = "too_many_files"
    case inputOutput = "io"
    case newerVersion = "newer_version"

    /// The kind of a system call's failure.
    public init(_ errno: Errno) {
        self =
            switch errno {
            case .noSpace, .quotaExceeded: .full
            case .readOnlyFileSystem: .readOnly
            case .tooManyOpenFiles, .tooManyOpenFilesInSystem: .tooManyFiles
            case .inputOutput: .inputOutput
            case .permissionDenied, .notPermitted: .permission
            case .notFound: .missing
            default: .other
            }
    }
}

extension QueueError {
    /// The kind of trouble that it is.
    public var trouble: Trouble {
        switch cause {
        case .busy: .busy
        case .full: .full
        case .readOnly: .readOnly
        case .tooManyFiles: .tooManyFiles
        case .permission: .permission
        case .missing, .vanished: .missing
        case .inputOutput: .inputOutput
        case .corrupt, .halfSalvaged: .corrupt
        case .foreign: .foreign
        case .newerVersion: .newerVersion
        case .moved: .moved
        case .wrongKey: .key
        case .cannotOpen, .noWriteAheadLog, .unexpected: .other
        }
    }
}
