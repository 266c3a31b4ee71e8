internal import Posix

/// A point in time that a script names.
enum ScriptedTime: Equatable {
    case at(WallTime)
    /// After (or, negative, before) the moment of the answer.
    case fromNow(Duration)

    /// The point it means at `now`.
    func resolved(_ now: WallTime) -> WallTime {
        switch self {
        case .at(let time): time
        case .fromNow(let span): now.advanced(by: span)
        }
    }
}

extension ScriptedTime: CustomStringConvertible {
    /// As a script has it.
    var description: String {
        switch self {
        case .at(let time): "\(time.milliseconds)"
        case .fromNow(let span): "now\(span < .zero ? "-" : "+")\(max(span, .zero - span).scriptText)"
        }
    }
}
