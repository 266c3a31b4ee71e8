import Spool

extension Reader {
    static func header(_ mail: [UInt8]) throws(BrokenPromise) {
        var whole = MessageHeaderReader()
        whole.receive(mail)
        var pieces = MessageHeaderReader()
        for byte in mail { pieces.receive(CollectionOfOne(byte)) }
        try promise(
            pieces.messageID == whole.messageID && pieces.isFinished == whole.isFinished,
            "it doesn't matter where a mail is cut")
        try promise(
            whole.messageID.isEmpty || SpoolEntry.isMessageID(whole.messageID), "a Message-ID fits an entry")
        guard whole.isFinished else { return }
        let found = whole.messageID
        whole.receive(Array("\r\nMessage-ID: <another@example.org>\r\n\r\n".utf8))
        try promise(whole.messageID == found, "what comes after the end changes nothing")
    }

    static func entry(_ file: [UInt8]) throws(BrokenPromise) {
        guard let entry = try? SpoolEntry.decode(file) else { return }
        try promise(isOneLine(String(decoding: entry.folder, as: UTF8.self)), "a folder's name is one line")
        let text = entry.encode()
        try promise(text.count <= SpoolEntry.maximumSize, "what was read can be written")
        try promise((try? SpoolEntry.decode(text)) == entry, "what was written reads the same")
    }
}
