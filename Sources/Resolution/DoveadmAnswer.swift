internal import JSON
internal import Spool

/// What doveadm answers to the two commands: `[["doveadmResponse",[{…}],"folder"],["doveadmResponse",[…],"mail"]]`.
enum DoveadmAnswer {
    /// What an error says when the folder isn't there, when none can have its name, as with another separator, and when
    /// the account isn't there (sysexits.h, Dovecot's doveadm.h).
    private static let (noFolder, noName, noUser): (Int64, Int64, Int64) = (68, 64, 67)

    /// What was found; nil: there is no such folder.
    static func finding(
        in body: [UInt8], about name: String, clue: Finding.Clue
    ) throws(DoveadmDialogue.Fault) -> Finding? {
        guard let answers = (try? JSONParser.parse(body))?.array else { throw .malformed }
        guard let folders = try rows(answers, tag: "folder"), let mails = try rows(answers, tag: "mail")
        else {
            return nil
        }
        // A pattern is answered with what there is, a plain name with that or an error.
        let isPattern = name.utf8.contains { "*%".utf8.contains($0) }
        let folder = folders.first { $0["mailbox"]?.string?.utf8.elementsEqual(name.utf8) == true }
        if isPattern, folder == nil { return nil }
        guard isPattern || folders.count == 1, let folder, let guid = folder["guid"]?.string,
            let uidValidity = number(folder["uidvalidity"]), uidValidity > 0
        else { throw .malformed }
        let candidates = mails.compactMap { mail -> Finding.Candidate? in
            // It may be another folder's, or the folder may have been made anew between the two commands.
            guard mail["mailbox-guid"]?.string == guid, let uid = number(mail["uid"]), uid > 0 else {
                return nil
            }
            return Finding.Candidate(
                uid: uid, messageID: messageID(mail["hdr.message-id"]),
                receivedAt: mail["date.received.unixtime"]?.string.flatMap { Int64($0) })
        }
        return Finding(folder: name, uidValidity: uidValidity, clue: clue, candidates: candidates)
    }

    private static func rows(
        _ answers: [JSONValue], tag: String
    ) throws(DoveadmDialogue.Fault) -> [JSONValue]? {
        for answer in answers {
            guard let parts = answer.array, parts.count == 3, parts[2].string == tag else { continue }
            if parts[0].string == "doveadmResponse", let rows = parts[1].array { return rows }
            switch parts[1]["exitCode"]?.integer {
            case noFolder: return nil
            // Of the other command it would be a field or key that this Dovecot doesn't know.
            case noName where tag == "folder": return nil
            case noUser: throw .refused
            default: throw .failed
            }
        }
        throw .malformed
    }

    private static func number(_ value: JSONValue?) -> UInt32? { value?.string.flatMap { UInt32($0) } }

    /// Doveadm unfolds the field and puts several below each other.
    private static func messageID(_ value: JSONValue?) -> [UInt8] {
        var reader = MessageHeaderReader()
        reader.receive("Message-ID:".utf8)
        reader.receive((value?.string ?? "").utf8)
        reader.receive("\n\n".utf8)
        return reader.messageID
    }
}
