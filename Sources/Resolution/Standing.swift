/// How a server has treated us lately.
struct Standing: Sendable {
    /// What keeps from asking it at all; nil: nothing does.
    var breaker: Breaker?
    /// The accounts that didn't answer, since any did.
    var doubted: Set<[UInt8]> = []
    /// The accounts for which it didn't take our secret, since any was let in.
    var lockedOut: Set<[UInt8]> = []
    /// The accounts that it doesn't let us in to, lately.
    var refused: Set<[UInt8]> = []
    /// Whether our secret is good, as far as is known: an account was let in since it was last doubted.
    var secretIsGood = false

    /// For people.
    var refusal: Refusal? {
        if !lockedOut.isEmpty, !secretIsGood { return .secret }
        return refused.isEmpty ? nil : .accounts(refused.count)
    }

    /// An account's question was answered.
    ///
    /// - Returns: those that may be asked again because our secret had locked them out; an account that alone isn't let
    ///   in is left alone as before.
    mutating func welcomed(_ account: [UInt8]) -> Set<[UInt8]> {
        let freed = secretIsGood ? [] : lockedOut
        refused.subtract(freed)
        refused.remove(account)
        (breaker, doubted, lockedOut, secretIsGood) = (nil, [], [], true)
        return freed
    }

    /// An account didn't answer; a probe that isn't answered speaks against the server, whoever's it is.
    mutating func doubt(_ account: [UInt8], _ limit: Int, now: Duration) {
        doubted.insert(account)
        guard breaker != nil || doubted.count >= limit else { return }
        failed(now: now)
        doubted = []
    }

    /// The server lives, and has no such account for us.
    mutating func refused(_ account: [UInt8]) {
        refused.insert(account)
        breaker = nil
    }

    /// Our secret isn't taken: of one account that may be its name's fault, of several in a row it is the secret's.
    mutating func lockedOut(_ account: [UInt8], _ limit: Int, now: Duration) {
        refused.insert(account)
        lockedOut.insert(account)
        guard lockedOut.count >= limit else {
            breaker?.probeWasLost(now: now)
            return
        }
        secretIsGood = false
        failed(now: now, Breaker.refusal)
    }

    /// It is left alone for a while.
    mutating func failed(now: Duration, _ pauses: ClosedRange<Duration> = Breaker.silence) {
        var breaker = breaker ?? Breaker()
        breaker.failed(now: now, pauses)
        self.breaker = breaker
    }
}

/// That a server lets us in nowhere, or not to some accounts.
public enum Refusal: Equatable, Sendable {
    /// It takes our secret for nobody.
    case secret
    /// It lets us in, but not to so many accounts.
    case accounts(Int)
}
