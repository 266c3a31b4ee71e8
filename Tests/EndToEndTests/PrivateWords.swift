/// Words that nobody but the recipient may see.
struct PrivateWords: Sendable {
    private let words: Set<String>

    /// Takes the words of some texts; what everybody says isn't private.
    init(in texts: [String]) {
        words = Set(texts.flatMap { $0.split { !$0.isLetter }.map(String.init) }).subtracting(["example"])
    }

    /// The words that a text tells, in whatever case.
    func told(by text: String) -> [String] {
        let text = text.lowercased()
        return words.filter(text.contains).sorted()
    }

    /// A word of twelve letters, which no other text has by chance.
    static func random() -> String {
        String((0..<12).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement() ?? "x" })
    }
}
