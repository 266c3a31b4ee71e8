internal import HTTP2
internal import Posix

/// One step of a connection's script.
enum ConnectionStep: Equatable {
    /// Something that is done at once.
    case act(Act)
    /// A way to treat the client, for a while.
    case treat(Manner, Extent)

    enum Act: Equatable {
        /// Closes before TLS.
        case reject
        /// Allows so many streams at once (SETTINGS_MAX_CONCURRENT_STREAMS).
        case streams(UInt32)
        case goAway(GoAway)
        /// Sends what is ready, then FIN.
        case close
        /// Sends RST.
        case abort
    }

    enum Manner: Equatable {
        /// Nothing is read or written from the start, so that TLS never comes about.
        case hang
        /// By this step, or by the rules where it is nil.
        case answer(AnswerStep?)
        /// RST_STREAM.
        case reset(ErrorCode)
        /// The request gets no answer; the connection lives.
        case ignore
        /// Requests wait for the step that comes next.
        case wait
        /// Everything is read and nothing is written, no answer to a PING either.
        case silence
        case stopReading
    }

    enum Extent: Equatable {
        case requests(Int)
        case span(Duration)
        case forEver
    }

    /// A GOAWAY frame.
    struct GoAway: Equatable {
        enum Last: Equatable {
            /// The latest request that was read.
            case read
            /// 2^31 - 1: none is given up yet (RFC 9113 section 6.8).
            case all
            case none
            case stream(Int32)
        }

        var last = Last.read
        var code = ErrorCode.noError
        var data = ""
    }

    /// Whether no step can come after this one.
    var isLast: Bool {
        switch self {
        case .act(.reject), .act(.close), .act(.abort), .treat(_, .forEver): true
        default: false
        }
    }

    /// Whether this step belongs before TLS, and so can't come after another.
    var comesBeforeTLS: Bool {
        switch self {
        case .act(.reject), .treat(.hang, _): true
        default: false
        }
    }
}

extension ConnectionStep: CustomStringConvertible {
    /// As a script has it.
    var description: String {
        switch self {
        case .act(.reject): "reject"
        case .act(.streams(let count)): "streams \(count)"
        case .act(.goAway(let goAway)): "\(goAway)"
        case .act(.close): "close"
        case .act(.abort): "abort"
        case .treat(let manner, let extent):
            ([manner.name, extent.text] + manner.options).compactMap { $0 }.joined(separator: " ")
        }
    }

    /// The first word of its text.
    var name: String { description.split(separator: " ").first.map(String.init) ?? "" }
}

extension ConnectionStep.Manner {
    fileprivate var name: String {
        switch self {
        case .hang: "hang"
        case .answer: "answer"
        case .reset(.refusedStream): "refuse"
        case .reset: "reset"
        case .ignore: "ignore"
        case .wait: "wait"
        case .silence: "silence"
        case .stopReading: "stop-reading"
        }
    }

    fileprivate var options: [String] {
        switch self {
        case .answer(let step?): ["with", "\(step)"]
        case .reset(let code) where code != .refusedStream: ["code=\(code.scriptText)"]
        default: []
        }
    }
}

extension ConnectionStep.Extent {
    fileprivate var text: String? {
        switch self {
        case .requests(let count): "\(count)"
        case .span(let span): span.scriptText
        case .forEver: nil
        }
    }
}

extension ConnectionStep.GoAway: CustomStringConvertible {
    var description: String {
        var words = ["goaway"]
        switch last {
        case .read: break
        case .all: words.append("last=all")
        case .none: words.append("last=none")
        case .stream(let stream): words.append("last=\(stream)")
        }
        if code != .noError { words.append("code=\(code.scriptText)") }
        if !data.isEmpty { words.append("data=\(data)") }
        return words.joined(separator: " ")
    }
}

extension ErrorCode {
    /// The codes that have a name, RFC 9113 section 7.
    private static let named = (0..<14).map(ErrorCode.init)

    /// By name or number, as a script has it.
    init?(scriptText: Substring) {
        if let code = Self.named.first(where: { $0.description == scriptText }) {
            self = code
        } else if let number = UInt32(scriptText) {
            self.init(rawValue: number)
        } else {
            return nil
        }
    }

    fileprivate var scriptText: String { Self.named.contains(self) ? description : "\(rawValue)" }
}
