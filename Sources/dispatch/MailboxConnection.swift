internal import IMAP
internal import Posix
internal import Resolution

/// An account's connection to the IMAP server: carries out on a socket what its dialogue says.
final class MailboxConnection {
    private let peer: LocalPeer
    private var dialogue: MailboxDialogue
    /// What it is asked; nil while it is idle.
    private(set) var ask: ResolutionMachine.Ask?
    /// Whether no notice waits for the answer any more.
    private(set) var isLate = false
    /// When it was asked last.
    private(set) var lastAsked: Duration

    /// Starts to connect and asks; the question goes out once the server has let us in.
    init(_ ask: ResolutionMachine.Ask, at server: Dovecot.Mailboxes, now: Duration) throws(Resolver.Trouble) {
        do throws(LocalPeer.Gone) {
            peer = try LocalPeer(server.address)
        } catch {
            throw Resolver.Trouble(.server, error.reason)
        }
        dialogue = MailboxDialogue(account: ask.question.account, login: server.login)
        lastAsked = now
        try put(ask, now: now)
    }

    /// Asks the next question.
    func put(_ ask: ResolutionMachine.Ask, now: Duration) throws(Resolver.Trouble) {
        self.ask = ask
        lastAsked = now
        do throws(IMAPFault) { try dialogue.ask(ask.question) } catch { throw trouble(error) }
        try flush()
    }

    /// Adds what this connection waits for.
    func watch(with poller: inout Poller) { peer.watch(with: &poller) }

    /// Does what can be done without waiting, and tells the machine of an answer.
    ///
    /// - Throws: what makes this connection useless, whether or not anything was asked.
    func service(_ poller: Poller, _ machine: inout ResolutionMachine, now: Duration) throws(Resolver.Trouble)
    {
        let bytes: [UInt8]?
        do throws(LocalPeer.Gone) { bytes = try peer.receive(poller) } catch { throw trouble(error) }
        guard let bytes else { return }
        do throws(IMAPFault) {
            if let answer = try dialogue.receive(bytes), let ask {
                self.ask = nil
                isLate = false
                machine.answered(ask, answer, now: now)
            }
        } catch {
            throw trouble(error)
        }
        try flush()
    }

    /// Waits on for the answer, if the server lives and the machine has the patience.
    func waitOn(_ machine: inout ResolutionMachine, now: Duration) -> Bool {
        guard let ask, dialogue.hasGreeted, machine.waitOn(ask, now: now) else { return false }
        isLate = true
        return true
    }

    /// What it means that nothing has come in time.
    var silence: Resolver.Trouble {
        Resolver.Trouble(dialogue.failure(.silent), "no answer in time")
    }

    /// Says goodbye; the connection is closed when its owner lets it go.
    func leave() {
        dialogue.leave()
        try? peer.send(dialogue.bytesToSend())
    }

    private func flush() throws(Resolver.Trouble) {
        let bytes = dialogue.bytesToSend()
        guard !bytes.isEmpty else { return }
        do throws(LocalPeer.Gone) { try peer.send(bytes) } catch { throw trouble(error) }
    }

    private func trouble(_ fault: IMAPFault) -> Resolver.Trouble {
        Resolver.Trouble(dialogue.failure(fault), "\(fault)")
    }

    private func trouble(_ gone: LocalPeer.Gone) -> Resolver.Trouble {
        Resolver.Trouble(dialogue.failure(gone.ending), gone.reason)
    }
}
