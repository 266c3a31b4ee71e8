internal import Spool

/// What a server may call a folder of which a notice tells.
public enum FolderNames {
    /// The most names that are tried.
    static let limit = 8
    /// Where names lie when nobody can be asked: Dovecot's defaults, and the prefix that came from Courier and Cyrus.
    private static let usualNamespaces = [
        Namespace(prefix: [], separator: UInt8(ascii: ".")),
        Namespace(prefix: [], separator: UInt8(ascii: "/")),
        Namespace(prefix: Array("INBOX.".utf8), separator: UInt8(ascii: ".")),
    ]

    /// The names to try where the server can't be asked for its namespaces.
    public static func usual(for folder: String) -> [String] { candidates(for: folder, in: usualNamespaces) }

    /// The names to try, the likeliest first, each once; UTF-8, as they go into a notice.
    ///
    /// A hook that sees only the file system names a folder without the server's prefix, and with the separators of
    /// Maildir++ or of directories; a server that tells of its own mail names it as it is.
    ///
    /// - Parameters:
    ///   - folder: the folder's name as the notice has it.
    ///   - namespaces: the account's own ones.
    public static func candidates(for folder: String, in namespaces: [Namespace]) -> [String] {
        if folder.utf8.count == 5, folder.uppercased() == "INBOX" { return ["INBOX"] }
        var names = [folder]
        for namespace in namespaces {
            guard let prefix = ModifiedUTF7.decode(namespace.prefix) else { continue }
            let prefixText = String(decoding: prefix, as: UTF8.self)
            for name in [folder] + respelt(folder, namespace.separator)
            where !name.utf8.starts(with: prefix) || prefix.isEmpty {
                names.append(prefixText + name)
            }
        }
        var seen: Set<[UInt8]> = []
        return Array(
            names.filter { SpoolEntry.isFolder(Array($0.utf8)) && seen.insert(Array($0.utf8)).inserted }
                .prefix(limit))
    }

    /// The name with the server's separator where that of a Maildir++, or else of directories, stands.
    private static func respelt(_ folder: String, _ separator: UInt8?) -> [String] {
        guard let separator else { return [] }
        return [UInt8(ascii: "."), UInt8(ascii: "/")].map { other in
            String(decoding: folder.utf8.map { $0 == other ? separator : $0 }, as: UTF8.self)
        }
    }
}
