import IMAP
import Spool

/// A mail server that reads commands by the letter of RFC 3501, shares no code with who writes them, and remembers
/// each; the connection ends with the first that isn't one.
struct StrictServer {
    struct Mail {
        var uid: UInt32
        var guid: String = ""
        var messageID: String = ""
        /// As `INTERNALDATE` has it.
        var date = StrictServer.date
    }

    struct Folder {
        var uidValidity: UInt32
        var mails: [Mail] = []
        var nextUID: UInt32 { (mails.map(\.uid).max() ?? 0) + 1 }
    }

    static let date = "30-Nov-2026 10:54:58 +0000"
    static let seconds: Int64 = 1_796_036_098

    /// What was read that isn't a command.
    struct Outrage: Error { let what: String }

    /// By name in UTF-8.
    var folders: [String: Folder] = [:]
    var greeting = "* OK [CAPABILITY IMAP4rev1 SASL-IR LITERAL+] ready."
    var takesLiteralPlus = true
    var namespace = #"(("" "."))"#
    var knowsGUID = true
    var refusesLogin = false
    /// What is said before the end of each command.
    var chatter = ""
    /// Every command but for its tag, with its strings as they are.
    private(set) var commands: [[String]] = []
    private(set) var account: String?
    private var input: [UInt8] = []
    private var open: String?
    private var wentOn = 0
    private var isAuthenticating: String?

    /// Takes what a client sent; gives what it hears.
    mutating func receive(_ bytes: [UInt8]) throws -> [UInt8] {
        input += bytes
        var output: [UInt8] = []
        while let line = try command() {
            output += try answer(line)
            input.removeFirst(line.length)
            wentOn = 0
        }
        for _ in wentOn..<max(wentOn, permissions) { output += Array("+ go on\r\n".utf8) }
        wentOn = max(wentOn, permissions)
        return output
    }

    // MARK: Reading

    private struct Line {
        var words: [String]
        var length: Int
    }

    /// How many literals of the present command wait for leave.
    private var permissions = 0

    /// The first whole command; nil while there is more of it to come.
    private mutating func command() throws -> Line? {
        permissions = 0
        var words: [String] = []
        var word = ""
        var place = 0
        func fail(_ what: String) -> Outrage {
            Outrage(what: "\(what): \(String(decoding: input, as: UTF8.self))")
        }
        while place < input.count {
            let byte = input[place]
            switch byte {
            case UInt8(ascii: "\r"):
                guard place + 1 < input.count else { return nil }
                guard input[place + 1] == UInt8(ascii: "\n") else { throw fail("a lone CR") }
                if !word.isEmpty { words.append(word) }
                return Line(words: words, length: place + 2)
            case UInt8(ascii: " "):
                guard !word.isEmpty || place > 0 && "\"".utf8.contains(input[place - 1]) || words.count > 0
                else {
                    throw fail("a space too many")
                }
                if !word.isEmpty { words.append(word) }
                word = ""
                place += 1
            case UInt8(ascii: "\""):
                guard word.isEmpty else { throw fail("a quote inside a word") }
                guard let end = input[(place + 1)...].firstIndex(of: byte) else { return nil }
                let text = input[(place + 1)..<end]
                guard text.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else {
                    throw fail("a string that doesn't belong in quotes")
                }
                words.append("=" + String(decoding: text, as: UTF8.self))
                place = end + 1
            case UInt8(ascii: "{"):
                guard word.isEmpty, let end = input[place...].firstIndex(of: UInt8(ascii: "}")) else {
                    throw fail("a brace")
                }
                guard input.count > end + 2 else { return nil }
                var digits = String(decoding: input[(place + 1)..<end], as: UTF8.self)
                let isFree = digits.hasSuffix("+")
                if isFree { digits.removeLast() }
                guard let length = Int(digits), isFree ? takesLiteralPlus : true,
                    input[end + 1] == UInt8(ascii: "\r"), input[end + 2] == UInt8(ascii: "\n")
                else { throw fail("a literal") }
                if !isFree { permissions += 1 }
                let start = end + 3
                guard input.count >= start + length else { return nil }
                let text = input[start..<(start + length)]
                guard !text.contains(0) else { throw fail("NUL in a literal") }
                words.append("=" + String(decoding: text, as: UTF8.self))
                place = start + length
            case 0x21...0x7E:
                word.unicodeScalars.append(Unicode.Scalar(byte))
                place += 1
            default: throw fail("byte \(byte)")
            }
        }
        return nil
    }

    // MARK: Answering

    private mutating func answer(_ line: Line) throws -> [UInt8] {
        if let tag = isAuthenticating {
            isAuthenticating = nil
            return logIn(line.words, tag)
        }
        guard line.words.count > 1 else { throw Outrage(what: "no command: \(line.words)") }
        let (tag, words) = (line.words[0], Array(line.words[1...]))
        if words.starts(with: ["AUTHENTICATE", "PLAIN"]) {
            guard words.count > 2 else {
                isAuthenticating = tag
                return Array("+ \r\n".utf8)
            }
            return logIn(Array(words[2...]), tag)
        }
        commands.append(words)
        return Array((chatter + (try reply(words, tag)) + "\r\n").utf8)
    }

    private mutating func logIn(_ words: [String], _ tag: String) -> [UInt8] {
        account = words.first
        return Array("\(tag) \(refusesLogin ? "NO [AUTHENTICATIONFAILED] who?" : "OK in")\r\n".utf8)
    }

    private mutating func reply(_ words: [String], _ tag: String) throws -> String {
        switch words.first {
        case "NAMESPACE": return "* NAMESPACE \(namespace) NIL NIL\r\n\(tag) OK"
        case "NOOP", "LOGOUT": return "\(tag) OK"
        case "EXAMINE":
            guard words.count == 2, words[1].hasPrefix("=") else { break }
            open = ModifiedUTF7.decode(Array(words[1].utf8.dropFirst())).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard let name = folders.keys.first(where: { $0.utf8.elementsEqual((open ?? "").utf8) }),
                let folder = folders[name]
            else {
                open = nil
                return "\(tag) NO Mailbox doesn't exist: {5}"
            }
            return "* \(folder.mails.count) EXISTS\r\n* OK [UIDVALIDITY \(folder.uidValidity)] .\r\n"
                + "* OK [UIDNEXT \(folder.nextUID)] .\r\n\(tag) OK [READ-ONLY] ."
        case "UID" where words.count > 3 && words[1] == "SEARCH" && words[2] == "UID":
            return try search(words, tag)
        case "UID" where words.count == 7 && words[1] == "FETCH":
            guard
                words[3...].joined(separator: " ")
                    == "(UID INTERNALDATE BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]<0.1024>)"
            else { break }
            return fetch(words[2].split(separator: ",").compactMap { UInt32($0) }, tag)
        default: break
        }
        throw Outrage(what: "not a command: \(words)")
    }

    private func search(_ words: [String], _ tag: String) throws -> String {
        guard words[3].hasSuffix(":*"), let first = UInt32(words[3].dropLast(2)), let last = words.last,
            last.hasPrefix("="), let mails = open.flatMap({ folders[$0] })?.mails
        else { throw Outrage(what: "not a search: \(words)") }
        let text = String(last.dropFirst())
        let isMatch: (Mail) -> Bool
        switch Array(words[4..<(words.count - 1)]) {
        case ["X-GUID"]:
            guard knowsGUID else { return "\(tag) BAD Unknown argument X-GUID" }
            isMatch = { $0.guid == text }
        case ["HEADER", "Message-ID"]: isMatch = { $0.messageID.contains(text) }
        default: throw Outrage(what: "not a key: \(words)")
        }
        // `n:*` has the last message in any case (RFC 3501 section 6.4.8).
        let highest = mails.map(\.uid).max()
        let found = mails.filter { ($0.uid >= first || $0.uid == highest) && isMatch($0) }
        return "* SEARCH\(found.map { " \($0.uid)" }.joined())\r\n\(tag) OK"
    }

    private func fetch(_ uids: [UInt32], _ tag: String) -> String {
        let mails = open.flatMap { folders[$0] }?.mails.filter { uids.contains($0.uid) } ?? []
        let rows = mails.map { mail in
            let header = mail.messageID.isEmpty ? "\r\n" : "Message-ID: \(mail.messageID)\r\n\r\n"
            return
                "* 1 FETCH (UID \(mail.uid) INTERNALDATE \"\(mail.date)\" BODY[HEADER.FIELDS (MESSAGE-ID)]<0> "
                + "{\(min(1024, header.utf8.count))}\r\n\(header.prefix(1024)))\r\n"
        }
        return rows.joined() + "\(tag) OK"
    }
}
