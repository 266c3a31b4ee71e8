@testable import Settings

extension Reader {
    static func configuration(_ file: [UInt8]) throws(BrokenPromise) {
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Configuration.parse(file, file: "doorbell.toml")
        } catch {
            return try promise(isOneLine("\(error)"), "a fault is told in one line: \(error)")
        }
        let paths = [
            configuration.spool.directory, configuration.queue.directory, configuration.queue.trigger,
            configuration.metrics.directory, configuration.push?.keyFile.path,
            configuration.push?.caFile?.path,
        ]
        for path in paths.compactMap({ $0 }) {
            try promise(path.hasPrefix("/") && isOneLine(path), "a path is absolute: \(path)")
        }
        try promise(configuration.spool.rescan >= .seconds(1), "the spool isn't scanned without a pause")
        try promise(
            (configuration.push == nil) == (configuration.pushIsDisabledBecause != nil),
            "push is on, or there is a reason why not")
    }
}
