/// A mail program at a site, with the file that ships for it: it files the recipient's mail and rings.
protocol MailProgram: Sendable {
    /// Hands a mail over, and waits until the program has done everything that it does about it.
    func deliver(_ mail: Mail) throws
    /// What the program still wants to do about any mail: to try again, or to tell its sender.
    func unfinished() throws -> String
}
