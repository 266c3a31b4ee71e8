import Spool

extension Reader {
    static func header(_ mail: [UInt8]) throws(BrokenPromise) {
        var whole = MessageHeaderReader()
        whole.receive(mail)
        var pieces = MessageHeaderReader()
        for byte in mail { pieces.receive(CollectionOfOne(byte)) }
        try promise(
            pieces.header == whole.header && pieces.isFinished == whole.isFinished,
            "it doesn't matter where a mail is cut")
        let found = whole.header
        try promise(
            found.messageID.isEmpty || SpoolEntry.isMessageID(found.messageID), "a Message-ID fits an entry")
        try promise(
            found.recipient.isEmpty || SpoolEntry.isRecipient(found.recipient), "a recipient fits an entry")
        let entry = SpoolEntry(
            user: Array("a".utf8), folder: Array("b".utf8), messageID: found.messageID, at: 0,
            marks: found.marks, recipient: found.recipient)
        try promise((try? SpoolEntry.decode(entry.encode())) == entry, "what was found reaches the drain")
        guard whole.isFinished else { return }
        whole.receive(Array("\r\nMessage-ID: <another@example.org>\r\nX-Doorbell: no\r\n\r\n".utf8))
        try promise(whole.header == found, "what comes after the end changes nothing")
    }

    static func entry(_ file: [UInt8]) throws(BrokenPromise) {
        guard let entry = try? SpoolEntry.decode(file) else { return }
        try promise(isOneLine(String(decoding: entry.folder, as: UTF8.self)), "a folder's name is one line")
        let text = entry.encode()
        try promise(text.count <= SpoolEntry.maximumSize, "what was read can be written")
        try promise((try? SpoolEntry.decode(text)) == entry, "what was written reads the same")
    }
}
