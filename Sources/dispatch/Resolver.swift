internal import Posix
internal import Queue
internal import Reporting
internal import Resolution

/// Finds out where notices' mails lie: carries out what `ResolutionMachine` decides, on the connections it takes.
///
/// A notice is held from its take-up until its fan-out is committed, which writes down what was found. What is held
/// lives in memory alone: it is simply undecided when the process dies.
final class Resolver {
    /// Connections to the IMAP server at once, one for each account; no more questions than that are open.
    static let maximumConnections = 32
    /// How many notices of one account are in hand at once.
    static let maximumOfAccount = 64

    /// Why a connection is useless.
    struct Trouble: Error {
        let failure: ResolutionMachine.Failure
        /// For people; nothing that a server has said.
        let reason: String

        init(_ failure: ResolutionMachine.Failure, _ reason: String) {
            (self.failure, self.reason) = (failure, reason)
        }
    }

    /// A notice that is held.
    private struct Held {
        let notice: Notice
        let since: Duration
    }

    /// A notice that is ready for its fan-out.
    struct Ready {
        let located: LocatedNotice
        /// Nil where nothing was looked for.
        let resolution: Resolution?
        /// From the take-up until it was ready.
        let wait: Duration

        /// Whether the uid is a guess.
        var isGuessed: Bool { resolution?.location != nil && resolution?.isExact == false }
        /// Whether nobody knows of which mailbox the uid is.
        var lacksUIDValidity: Bool { (located.place.map(\.uidValidity) ?? located.notice.uidValidity) == nil }
    }

    let dovecot: Dovecot?
    let clocks: Clocks
    let log: Log
    var machine: ResolutionMachine
    private var held: [Int64: Held] = [:]
    private var ready: [Ready] = []
    var mailboxes: [[UInt8]: MailboxConnection] = [:]
    var inquiries: [[UInt8]: DoveadmConnection] = [:]
    /// Whether it knows which messages were named before it began.
    private(set) var remembers = false
    /// What has gone wrong last, by server.
    var reasons: [Service: String] = [:]
    /// The servers that have been asked.
    var asked: Set<Service> = []
    /// The servers that aren't asked for now.
    var pauses: [Service: Pause] = [:]
    /// The servers that don't let us in, or not to some accounts.
    var refusals: [Service: Refused] = [:]
    /// How often we weren't let in.
    var refusedLogins: [RefusedLogin: Int] = [:]

    /// Starts with nothing in hand.
    ///
    /// - Parameter dovecot: whom to ask; nil: nobody.
    init(_ dovecot: Dovecot?, clocks: Clocks, log: Log) {
        (self.dovecot, self.clocks, self.log) = (dovecot, clocks, log)
        var limits = ResolutionMachine.Limits()
        if let dovecot { limits.bound = dovecot.bound }
        limits.asked = Self.maximumConnections
        machine = ResolutionMachine(services: dovecot?.services ?? [], limits: limits)
    }

    /// Who can be asked.
    var services: [Service] { dovecot?.services ?? [] }

    /// Where a server is.
    func address(of service: Service) -> SocketAddress? { dovecot?.address(of: service) }

    /// How many of an account may be in hand.
    var placesOfAccount: Int { dovecot == nil ? .max : Self.maximumOfAccount }

    /// The notices that are held.
    var inHand: Set<Int64> { Set(held.keys) }

    /// Whether any notice is held.
    var isEmpty: Bool { held.isEmpty }

    /// How many questions wait for their answer, and notices for that.
    var openQuestions: Int { inquiries.count + mailboxes.values.count { $0.ask != nil && !$0.isLate } }

    /// Connections to a server, idle ones included.
    func connections(to service: Service) -> Int {
        switch service {
        case .imap: mailboxes.count
        case .doveadm: inquiries.count
        }
    }

    /// Remembers which messages were named before this began.
    func remember(_ named: [(user: String, place: LocatedNotice.Place)]) {
        for (user, place) in named {
            machine.remember(
                Resolution.Location(folder: place.folder, uid: place.uid, uidValidity: place.uidValidity),
                of: account(of: user))
        }
        remembers = true
    }

    /// When to call `turn` at the latest; nil: nothing is waited for.
    var nextTurn: Duration? { machine.nextTurn() }

    /// Takes a notice up.
    ///
    /// - Parameter isLookedFor: false where its place doesn't matter: it is ready as it is.
    func take(_ notice: Notice, isLookedFor: Bool, now: Duration) {
        held[notice.id] = Held(notice: notice, since: now)
        guard isLookedFor else {
            return ready.append(Ready(located: LocatedNotice(notice), resolution: nil, wait: .zero))
        }
        machine.add(
            notice.id, uid: notice.uid,
            Question(
                account: account(of: notice.user), folder: notice.folder, filed: notice.filed,
                messageID: notice.messageID,
                uidHint: notice.uidHint, uidValidity: notice.uidValidity, landedAt: notice.at.seconds),
            now: now)
    }

    /// Does what is to be done now; tells whether a server began to be left alone, or is asked again.
    func turn(now: Duration) -> Bool {
        for action in machine.turn(now: now) {
            switch action {
            case .ask(let ask): put(ask, now: now)
            case .abandon(let ask): abandon(ask, now: now)
            case .resolved(let resolution): resolved(resolution, now: now)
            }
        }
        return watchServers()
    }

    private func account(of user: String) -> String { dovecot?.account(of: user) ?? user }

    /// Those that are ready, by their ids.
    func ready(limit: Int) -> [Ready] {
        ready.sort { $0.located.notice.id < $1.located.notice.id }
        return Array(ready.prefix(limit))
    }

    /// So many of those that were ready are fanned out.
    func fannedOut(_ count: Int) {
        for ready in ready.prefix(count) { held[ready.located.notice.id] = nil }
        ready.removeFirst(count)
    }

    /// Adds what connections wait for.
    func watch(with poller: inout Poller) {
        for connection in mailboxes.values { connection.watch(with: &poller) }
        for connection in inquiries.values { connection.watch(with: &poller) }
    }

    /// Does what `poller` found possible.
    func service(_ poller: Poller, now: Duration) {
        for (account, connection) in mailboxes {
            do throws(Trouble) {
                try connection.service(poller, &machine, now: now)
            } catch {
                mailboxes[account] = nil
                if let ask = connection.ask { failed(ask, error, now: now) }
            }
        }
        for (account, connection) in inquiries {
            do throws(Trouble) {
                if try !connection.service(poller, &machine, now: now) { inquiries[account] = nil }
            } catch {
                inquiries[account] = nil
                failed(connection.ask, error, now: now)
            }
        }
    }

    /// Closes every connection.
    func close() {
        for connection in mailboxes.values { connection.leave() }
        mailboxes = [:]
        inquiries = [:]
    }

    private func resolved(_ resolution: Resolution, now: Duration) {
        guard let held = held[resolution.notice] else { return }
        let place = resolution.location.map {
            LocatedNotice.Place(folder: $0.folder, uid: $0.uid, uidValidity: $0.uidValidity)
        }
        let source = resolution.source == .entry ? nil : resolution.source.rawValue
        ready.append(
            Ready(
                located: LocatedNotice(held.notice, at: place, uidSource: source), resolution: resolution,
                wait: now - held.since))
    }
}
