/// How a program ends: those codes of sysexits.h that the man pages list.
///
/// The hook is the same, compiled once more: it can't import this module.
public enum ExitCode: Int32, Sendable {
    case ok = 0
    /// The arguments are wrong (EX_USAGE).
    case usage = 64
    /// What was given is of no use (EX_DATAERR).
    case dataError = 65
    /// What is asked for, or needed, isn't there (EX_UNAVAILABLE).
    case unavailable = 69
    /// A fault of the program (EX_SOFTWARE).
    case software = 70
    /// A file can't be made, or its directory is missing (EX_CANTCREAT).
    case cannotCreate = 73
    /// Reading or writing failed (EX_IOERR).
    case inputOutput = 74
    /// It may work later (EX_TEMPFAIL).
    case temporaryFailure = 75
    /// Something may not be opened, or isn't safe (EX_NOPERM).
    case noPermission = 77
    /// The configuration, or what it names, is wrong (EX_CONFIG).
    case configuration = 78
}
