internal import APNs
internal import Settings

/// The options of `device add`, each checked as far as it can be without the configuration.
struct DeviceOptions: Equatable {
    var user: String?
    var topic: String?
    var environment: String?
    var platform: String?
    var label: String?
    var folders: String?
    var appVersion: String?
    var locale: String?
    var accountReference: String?

    /// Longest text taken; it has to fit into a payload or a line of a list.
    private static let maximumBytes = 255

    private struct Option {
        let field: WritableKeyPath<DeviceOptions, String?>
        let wanted: String
        var isMet: (String) -> Bool = { _ in true }
    }

    private static func option(named name: String) -> Option? {
        let text = "1 to \(maximumBytes) bytes of text without control characters"
        switch name {
        case "--user": return Option(field: \.user, wanted: text)
        case "--topic":
            return Option(
                field: \.topic, wanted: "a bundle id, such as com.example.Mail", isMet: Configuration.isTopic)
        case "--environment":
            return Option(
                field: \.environment, wanted: "production or sandbox",
                isMet: { Environment(rawValue: $0) != nil })
        case "--platform":
            return Option(field: \.platform, wanted: "ios or macos", isMet: { Platform(rawValue: $0) != nil })
        case "--label": return Option(field: \.label, wanted: text)
        case "--folders":
            return Option(
                field: \.folders, wanted: "folder names with a comma between them",
                isMet: { !split($0).contains("") })
        case "--app-version": return Option(field: \.appVersion, wanted: text)
        case "--locale": return Option(field: \.locale, wanted: text)
        case "--account-ref": return Option(field: \.accountReference, wanted: text)
        default: return nil
        }
    }

    /// Takes one option and its value.
    mutating func take(_ name: String, from rest: inout ArgumentReader) throws(DoorbellArguments.UsageError) {
        guard let option = Self.option(named: name) else {
            throw DoorbellArguments.UsageError(description: "device add: \(name) is no option of it")
        }
        let value = try rest.value(of: name)
        let isText = (1...Self.maximumBytes).contains(value.utf8.count) || name == "--folders"
        guard isText, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), option.isMet(value) else {
            throw DoorbellArguments.UsageError(description: "\(name): must be \(option.wanted)")
        }
        self[keyPath: option.field] = value
    }

    /// The folders one by one.
    var enabledFolders: [String] { folders.map(Self.split) ?? [] }

    private static func split(_ folders: String) -> [String] {
        folders.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
}
