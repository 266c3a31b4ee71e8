internal import APNs
internal import Settings
internal import Posix
internal import Queue

extension DeviceOptions {
    /// The device to register, with the configuration's topic and environment where none was given.
    func registration(token: DeviceToken, configuration: Configuration) throws(CommandFailure)
        -> DeviceRegistration
    {
        guard let topic = topic ?? configuration.deviceDefaults.topic else {
            throw CommandFailure(
                exitCode: .usage,
                description: "device add: --topic is missing, and \(configuration.file) sets no push.topic")
        }
        return DeviceRegistration(
            user: user ?? "", token: token.bytes, topic: topic,
            environment: environment ?? configuration.deviceDefaults.environment.rawValue,
            platform: platform ?? Platform.ios.rawValue, label: label ?? "", appVersion: appVersion,
            locale: locale,
            accountReference: accountReference, enabledFolders: enabledFolders)
    }
}

extension DeviceRegistration {
    /// What decides where a push goes and what rings, but neither the token nor the user.
    var summary: String {
        "topic \(topic), environment \(environment), platform \(platform), folders \(folderList)"
    }

    /// The folders that ring, as `--folders` takes them; one with a comma, which it doesn't, in quotes.
    var folderList: String {
        guard !enabledFolders.isEmpty else { return "INBOX" }
        return enabledFolders.map { $0.contains(",") ? "\"\($0)\"" : $0 }.joined(separator: ",")
    }
}
