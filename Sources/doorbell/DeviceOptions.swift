internal import APNs
internal import Settings
internal import Spool

/// The options of `device add`, each checked as far as it can be without the configuration.
struct DeviceOptions: Equatable {
    var user: String?
    var topic: String?
    var environment: String?
    var platform: String?
    var label: String?
    var folders: String?
    /// Each as it was named, whatever it holds.
    var namedFolders: [String] = []
    var appVersion: String?
    var locale: String?
    var accountReference: String?

    /// Longest text of no other bound; it has to fit into a payload or a line of a list.
    private static let maximumTextLength = 255

    private struct Option {
        let field: WritableKeyPath<DeviceOptions, String?>
        let wanted: String
        let isMet: (String) -> Bool
    }

    private static func option(named name: String) -> Option? {
        switch name {
        case "--user":
            return Option(
                field: \.user, wanted: textUp(to: SpoolEntry.maximumUserLength),
                isMet: { SpoolEntry.isUser(Array($0.utf8)) })
        case "--topic":
            return Option(
                field: \.topic, wanted: "a bundle id, such as com.example.Mail", isMet: Configuration.isTopic)
        case "--environment":
            return Option(
                field: \.environment, wanted: "production or sandbox",
                isMet: { Environment(rawValue: $0) != nil })
        case "--platform":
            return Option(field: \.platform, wanted: "ios or macos", isMet: { Platform(rawValue: $0) != nil })
        case "--label": return text(\.label)
        case "--folders":
            return Option(
                field: \.folders,
                wanted: "folder names with a comma between them, each "
                    + textUp(to: SpoolEntry.maximumFolderLength),
                isMet: { split($0).allSatisfy { SpoolEntry.isFolder(Array($0.utf8)) } })
        case "--folder":
            return Option(
                field: \.lastFolder, wanted: "a folder's name, \(textUp(to: SpoolEntry.maximumFolderLength))",
                isMet: { SpoolEntry.isFolder(Array($0.utf8)) })
        case "--app-version": return text(\.appVersion)
        case "--locale": return text(\.locale)
        case "--account-ref": return text(\.accountReference)
        default: return nil
        }
    }

    private static func text(_ field: WritableKeyPath<DeviceOptions, String?>) -> Option {
        Option(field: field, wanted: textUp(to: maximumTextLength)) { text in
            (1...maximumTextLength).contains(text.utf8.count)
                && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }
    }

    private static func textUp(to length: Int) -> String {
        "1 to \(length) bytes of text without control characters"
    }

    /// Takes one option and its value.
    mutating func take(_ name: String, from rest: inout ArgumentReader) throws(DoorbellArguments.UsageError) {
        guard let option = Self.option(named: name) else {
            throw DoorbellArguments.UsageError(description: "device add: \(name) is no option of it")
        }
        let value = try rest.value(of: name)
        guard option.isMet(value) else {
            throw DoorbellArguments.UsageError(description: "\(name): must be \(option.wanted)")
        }
        self[keyPath: option.field] = value
    }

    /// The folder that was named last; set, it is one more.
    private var lastFolder: String? {
        get { namedFolders.last }
        set { if let newValue { namedFolders.append(newValue) } }
    }

    /// The folders one by one.
    var enabledFolders: [String] { (folders.map(Self.split) ?? []) + namedFolders }

    private static func split(_ folders: String) -> [String] {
        // Blanks beside a comma are the writer's, not the folder's.
        folders.split(separator: ",", omittingEmptySubsequences: false).map { folder in
            String(folder.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }
}
