internal import Glibc
internal import Posix
internal import Queue
internal import Settings
internal import TokenSealing

extension DoorbellCommand {
    /// The id is all the output, for programs; what it took is for the person beside it.
    static func add(_ device: DeviceRegistration, _ configuration: Configuration) throws -> String {
        let store = try open(configuration, creating: true)
        let key = TokenKeyFile(path: configuration.queue.tokenKey)
        try store.unlock(with: key.load(making: try !store.hasSealedTokens()))
        let id = try store.register(device, now: .now)
        try? write("doorbell: device \(id): \(device.summary)\n", to: STDERR_FILENO)
        if !hasAccount(device.user) {
            try? write(
                "doorbell: warning: this machine has no account of the user's name, so that only entries of "
                    + "spool.trusted_uids can ring the device\n", to: STDERR_FILENO)
        }
        return "\(id)\n"
    }

    /// False for a user who is virtual or misspelt; accounts that can't be asked say nothing about either.
    private static func hasAccount(_ user: String) -> Bool {
        do throws(SystemCallError) {
            return try UserDatabase.uid(of: user) != nil
        } catch {
            return true
        }
    }
}
