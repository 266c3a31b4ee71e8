internal import APNs

/// What `[push]` means: complete when it is enabled, only its device defaults when it isn't.
struct PushSection {
    let push: Configuration.Push?
    let isDisabledBecause: String?
    let deviceDefaults: Configuration.DeviceDefaults

    /// Takes `[push]` from the document's top table.
    init(_ top: inout TableReader) throws(ConfigurationError) {
        let isPresent = top.has("push")
        var table = try top.table("push")
        let isEnabled = try table.boolean("enabled") ?? isPresent
        // These two count for new devices even while nothing is sent, so they are checked either way.
        let topic = try table.string("topic", .topic)
        let environment = try table.choice("environment", of: Environment.self) ?? .production
        deviceDefaults = Configuration.DeviceDefaults(topic: topic, environment: environment)
        // Before a key is missed: it may be there, misspelt.
        table.allow("key_file", "key_id", "team_id", "port", "ca_file")
        try table.refuseUnknownKeys()
        if isEnabled {
            isDisabledBecause = nil
            push = Configuration.Push(
                keyFile: try table.requiredFile("key_file"),
                keyID: try table.required("key_id", .identifier),
                teamID: try table.required("team_id", .identifier),
                topic: try table.required("topic", .topic),
                environment: environment,
                port: try table.integer("port", "443 or 2197, Apple's two ports") { $0 == 443 || $0 == 2197 }
                    ?? 443,
                caFile: try table.file("ca_file"))
        } else {
            isDisabledBecause =
                isPresent ? "[push] says enabled = false" : "the configuration has no [push] section"
            push = nil
        }
    }
}
