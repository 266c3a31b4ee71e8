internal import JSON

extension SpoolEntry {
    /// Reads what a stranger may have written as an entry.
    ///
    /// Unknown keys are ignored, whatever their values, so that version 1 can grow. A Message-ID outside its bounds
    /// reads as none, by the contract's own "else empty": the mail still rings. So it does where marks or recipient
    /// can't be read, which do nothing but keep mail from ringing.
    ///
    /// - Parameter bytes: the file's whole content.
    public static func decode(_ bytes: [UInt8]) throws(SpoolEntryDamage) -> SpoolEntry {
        guard bytes.count <= maximumSize else { throw .oversized }
        guard bytes.last == UInt8(ascii: "\n") else { throw .truncated }
        let object = try Self.object(in: bytes)
        guard object["v"]?.integer == version else { throw .wrongVersion }
        guard let user = bytesOf(object["user"]), isUser(user) else { throw .badUser }
        guard let folder = bytesOf(object["folder"]), isFolder(folder) else { throw .badFolder }
        guard let uid = uint32(object["uid"]) else { throw .badUID }
        guard let messageID = bytesOf(object["msg_id"]) else { throw .badMessageID }
        guard let at = object["at"]?.integer, (0...latestTime).contains(at) else { throw .badTime }
        let filed = bytesOf(object["filed"])
        guard object["filed"] == nil || filed.map(isFiled) == true else { throw .badFiled }
        let recipient = bytesOf(object["recipient"]) ?? []
        return SpoolEntry(
            user: user, folder: folder, uid: uid, messageID: isMessageID(messageID) ? messageID : [], at: at,
            uidHint: try nonZero(object["uid_hint"]), uidValidity: try nonZero(object["uid_validity"]),
            filed: filed, marks: MailMarks(text: bytesOf(object["marks"]) ?? []),
            recipient: isRecipient(recipient) ? recipient : [])
    }

    private static func object(in bytes: [UInt8]) throws(SpoolEntryDamage) -> JSONValue {
        do {
            let value = try JSONParser.parse(bytes)
            guard case .object = value else { throw SpoolEntryDamage.badJSON }
            return value
        } catch let failure as JSONParser.Failure {
            throw failure.reason == .truncated ? .truncated : .badJSON
        } catch {
            throw .badJSON
        }
    }

    private static func bytesOf(_ value: JSONValue?) -> [UInt8]? { value?.string.map { Array($0.utf8) } }

    private static func uint32(_ value: JSONValue?) -> UInt32? {
        value?.integer.flatMap(UInt32.init(exactly:))
    }

    /// UIDs and UIDVALIDITY are never 0 (RFC 9051 section 2.3.1.1).
    private static func nonZero(_ value: JSONValue?) throws(SpoolEntryDamage) -> UInt32? {
        guard let value else { return nil }
        guard let number = uint32(value), number > 0 else { throw .badUID }
        return number
    }
}
