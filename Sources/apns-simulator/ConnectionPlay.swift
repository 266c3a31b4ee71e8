internal import HTTP2

/// Plays the script of one connection: says what becomes of each request and what else is to be done, and when.
///
/// ```
/// accepted ──▶ (reject, hang) ──TLS──▶ step ──its requests or its time are over──▶ step … ──▶ by the rules
/// ```
struct ConnectionPlay: Equatable {
    /// What becomes of a request.
    enum Treatment: Equatable {
        /// By this step, or by the rules where it is nil.
        case answer(AnswerStep?)
        case reset(ErrorCode)
        case ignore
    }

    private var steps: ArraySlice<ConnectionStep>
    private var manner = ConnectionStep.Manner.wait
    private var end: End

    private enum End: Equatable {
        /// When TLS is done.
        case tls
        case requests(Int)
        case time(Duration)
        case never
    }

    /// Starts a connection that has just been accepted.
    init(_ script: ConnectionScript?) {
        steps = (script?.steps ?? [])[...]
        end = .tls
    }

    /// The steps that come before TLS, to be done now.
    mutating func accepted(now: Duration) -> [ConnectionStep] {
        steps.first?.comesBeforeTLS == true ? begin(now: now) : []
    }

    /// TLS is done; gives the steps that begin by that.
    mutating func established(now: Duration) -> [ConnectionStep] { end == .tls ? begin(now: now) : [] }

    /// Gives the steps that begin because what was going on has come to its end.
    mutating func advance(now: Duration) -> [ConnectionStep] { isOver(now: now) ? begin(now: now) : [] }

    /// What becomes of the next request; nil while requests wait.
    mutating func treatment() -> Treatment? {
        if case .requests(let left) = end {
            if left == 0 { return nil }
            end = .requests(left - 1)
        }
        return switch manner {
        case .answer(let step): .answer(step)
        case .reset(let code): .reset(code)
        case .ignore, .silence: .ignore
        case .wait, .stopReading, .hang: nil
        }
    }

    /// Whether nothing may be written.
    var isMute: Bool { manner == .silence || manner == .hang }
    /// Whether nothing may be read.
    var isDeaf: Bool { manner == .stopReading || manner == .hang }
    /// When to call `advance` at the latest; nil: nothing is waited for.
    var nextTimer: Duration? { if case .time(let end) = end { end } else { nil } }

    private func isOver(now: Duration) -> Bool {
        switch end {
        case .requests(let left): left == 0
        case .time(let time): now >= time
        case .tls, .never: false
        }
    }

    /// Goes on to the next step that lasts.
    private mutating func begin(now: Duration) -> [ConnectionStep] {
        var begun: [ConnectionStep] = []
        while let step = steps.popFirst() {
            begun.append(step)
            guard case .treat(let manner, let extent) = step else { continue }
            self.manner = manner
            end =
                switch extent {
                case .requests(let count): .requests(count)
                case .span(let span): .time(now + span)
                case .forEver: .never
                }
            if !isOver(now: now) { return begun }
        }
        manner = .answer(nil)
        end = .never
        return begun
    }
}
