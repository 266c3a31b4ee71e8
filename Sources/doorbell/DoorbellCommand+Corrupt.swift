internal import Glibc
internal import Posix
internal import Settings
internal import SpoolDirectories

extension DoorbellCommand {
    /// What is set aside, without a look inside.
    static func listCorrupt(_ configuration: Configuration) throws -> String {
        let spool = try openSpool(configuration)
        return CorruptTable(try entries(of: spool), reasons: try ReasonsLog.reasons(in: spool.corrupt)).text
    }

    /// Puts the entry of this name, or all, back into the spool and says how many it were.
    ///
    /// One that has to stay keeps none of the others.
    static func retryCorrupt(_ name: String?, _ configuration: Configuration) throws -> String {
        let spool = try openSpool(configuration)
        let entries = try entries(of: spool).filter { name == nil || $0.name.text == name }
        guard name == nil || !entries.isEmpty else {
            throw CommandFailure(
                exitCode: .unavailable,
                description: "no entry of this name is set aside; see doorbell spool corrupt list")
        }
        var putBack = 0
        var trouble: (any Error)?
        for entry in entries {
            do throws(SystemCallError) {
                try spool.putBack(entry)
                putBack += 1
            } catch {
                trouble = error.errno == .exists ? taken(entry) : error
            }
        }
        let text =
            "\(putBack) \(putBack == 1 ? "entry" : "entries") put back into "
            + "\(configuration.spool.directory)/new, for spool-drain to judge again\n"
        guard let trouble else { return text }
        try write(text, to: STDOUT_FILENO)
        throw trouble
    }

    private static func openSpool(_ configuration: Configuration) throws(SpoolFault) -> SpoolDirectory {
        try SpoolDirectory.becomeOwner(path: configuration.spool.directory)
        return try SpoolDirectory(path: configuration.spool.directory)
    }

    private static func entries(of spool: SpoolDirectory) throws(SystemCallError) -> [CorruptEntry] {
        var entries: [CorruptEntry] = []
        try spool.forEachCorruptEntry { entries.append($0) }
        return entries
    }

    private static func taken(_ entry: CorruptEntry) -> CommandFailure {
        CommandFailure(
            exitCode: .temporaryFailure,
            description: "\(entry.name.text) stays set aside: another entry of its name waits in the spool; "
                + "try again when that is drained")
    }
}
