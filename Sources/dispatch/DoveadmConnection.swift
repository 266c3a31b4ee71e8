internal import Posix
internal import Resolution

/// One question to doveadm's HTTP interface, on as many connections as the dialogue takes, one after the other.
final class DoveadmConnection {
    private let server: Dovecot.Doveadm
    private var peer: LocalPeer
    private var dialogue: DoveadmDialogue
    let ask: ResolutionMachine.Ask

    /// Starts to connect and asks; nil where doveadm can't be asked that.
    init?(_ ask: ResolutionMachine.Ask, at server: Dovecot.Doveadm) throws(Resolver.Trouble) {
        guard let dialogue = DoveadmDialogue(ask.question, key: server.key) else { return nil }
        (self.server, self.ask, self.dialogue) = (server, ask, dialogue)
        peer = try Self.peer(sending: dialogue.request, to: server)
    }

    private static func peer(sending request: [UInt8], to server: Dovecot.Doveadm)
        throws(Resolver.Trouble) -> LocalPeer
    {
        do throws(LocalPeer.Gone) {
            let peer = try LocalPeer(server.address)
            try peer.send(request)
            return peer
        } catch {
            throw trouble(error)
        }
    }

    /// Adds what this connection waits for.
    func watch(with poller: inout Poller) { peer.watch(with: &poller) }

    /// Does what can be done without waiting, and tells the machine of the answer; whether the question is open.
    func service(_ poller: Poller, _ machine: inout ResolutionMachine, now: Duration)
        throws(Resolver.Trouble) -> Bool
    {
        let bytes: [UInt8]?
        do throws(LocalPeer.Gone) { bytes = try peer.receive(poller) } catch { throw Self.trouble(error) }
        guard let bytes else { return true }
        do throws(DoveadmDialogue.Fault) {
            switch try dialogue.receive(bytes) {
            case .wait: return true
            case .askAgain: break
            case .answer(let answer):
                machine.answered(ask, answer, now: now)
                return false
            }
        } catch {
            throw Resolver.Trouble(DoveadmDialogue.failure(error), "\(error)")
        }
        peer = try Self.peer(sending: dialogue.request, to: server)
        return true
    }

    /// What it means that nothing has come in time.
    var silence: Resolver.Trouble {
        Resolver.Trouble(DoveadmDialogue.failure(.silent), "no answer in time")
    }

    private static func trouble(_ gone: LocalPeer.Gone) -> Resolver.Trouble {
        Resolver.Trouble(DoveadmDialogue.failure(gone.ending), gone.reason)
    }
}
