internal import Posix
internal import SpoolDirectories

/// Entries that can't be used, for a person to read: one a line, the one set aside last at the end.
struct CorruptTable {
    /// The table with its heading; a sentence when there is none.
    let text: String

    /// - Parameters:
    ///   - entries: what is set aside.
    ///   - reasons: why, by the text of an entry's name; one that is missing is told as unknown.
    init(_ entries: [CorruptEntry], reasons: [String: String]) {
        guard !entries.isEmpty else {
            text = "no entries are set aside\n"
            return
        }
        text = aligned(
            [["NAME", "OWNER", "REASON", "SET ASIDE", "SIZE"]]
                + entries.sorted().map {
                    [
                        $0.name.text, "\($0.owner)", reasons[$0.name.text] ?? "unknown", $0.since.text,
                        "\($0.size)",
                    ]
                })
    }
}
