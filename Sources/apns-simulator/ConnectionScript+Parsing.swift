internal import HTTP2

extension ConnectionScript {
    /// Reads the steps of a line.
    init(parsing parts: [Substring], of line: ScriptLine) throws(ScriptFault) {
        var steps: [ConnectionStep] = []
        for part in parts {
            let step = try ConnectionStep(parsing: part, of: line)
            if let last = steps.last, last.isLast {
                throw line.fault(trimmed(part), "nothing can come after \(last.name) that has no end")
            }
            if step.comesBeforeTLS, !steps.isEmpty {
                throw line.fault(trimmed(part), "\(step.name) must be the only step")
            }
            steps.append(step)
        }
        self.init(steps: steps)
    }
}

private func trimmed(_ part: Substring) -> Substring { part.drop(while: \.isWhitespace) }

extension ConnectionStep {
    /// Reads one step: a word, how long it lasts, and what else it needs.
    init(parsing part: Substring, of line: ScriptLine) throws(ScriptFault) {
        var words = ScriptWords(part, of: line)
        let name = words.next()
        switch name {
        case "reject": self = .act(.reject)
        case "close": self = .act(.close)
        case "abort": self = .act(.abort)
        case "streams": self = .act(.streams(UInt32(try words.number("a number of streams"))))
        case "goaway": self = .act(.goAway(try GoAway(&words)))
        case "hang": self = .treat(.hang, .forEver)
        case "ignore": self = .treat(.ignore, try words.extent())
        case "refuse": self = .treat(.reset(.refusedStream), try words.extent())
        case "reset":
            let extent = try words.extent()
            self = .treat(.reset(try words.errorCode() ?? .internalError), extent)
        case "answer":
            let extent = try words.extent()
            self = .treat(.answer(try words.answer()), extent)
        case "wait": self = .treat(.wait, .span(try words.span()))
        case "silence": self = .treat(.silence, try words.isAtEnd ? .forEver : .span(words.span()))
        case "stop-reading": self = .treat(.stopReading, try words.isAtEnd ? .forEver : .span(words.span()))
        default:
            throw words.fault(name, "expected a step: " + Self.names)
        }
        if let extra = words.peek { throw line.fault(extra, "\(self.name) has no place for this") }
    }

    private static let names =
        "answer, refuse, reset, ignore, wait, streams, goaway, silence, stop-reading, close, abort, reject or hang"
}

extension ConnectionStep.GoAway {
    fileprivate init(_ words: inout ScriptWords) throws(ScriptFault) {
        while let word = words.next() {
            switch words.line.option(word) {
            case ("last", let value)?: last = try Self.last(value, words.line)
            case ("code", let value)?: code = try words.errorCode(value)
            case ("data", let value)?: data = String(value)
            default: throw words.fault(word, "expected last, code or data, each with = and its value")
            }
        }
    }

    private static func last(_ value: Substring, _ line: ScriptLine) throws(ScriptFault) -> Last {
        switch value {
        case "all": return .all
        case "none": return .none
        default:
            guard let stream = Int32(value), stream > 0, !stream.isMultiple(of: 2) else {
                throw line.fault(value, "expected all, none or the id of a stream, which is odd")
            }
            return .stream(stream)
        }
    }
}

/// The words of one step, taken one after the other.
private struct ScriptWords {
    let line: ScriptLine
    private let part: Substring
    private var rest: ArraySlice<Substring>

    init(_ part: Substring, of line: ScriptLine) {
        self.line = line
        self.part = part
        rest = part.split(whereSeparator: \.isWhitespace)[...]
    }

    var isAtEnd: Bool { rest.isEmpty }
    var peek: Substring? { rest.first }
    mutating func next() -> Substring? { rest.popFirst() }

    /// Blames a word, or the place where there is none.
    func fault(_ word: Substring?, _ reason: String) -> ScriptFault {
        line.fault(word ?? part[part.endIndex...], reason)
    }

    mutating func number(_ what: String) throws(ScriptFault) -> Int64 {
        try line.number(next() ?? part[part.endIndex...], what)
    }

    mutating func span() throws(ScriptFault) -> Duration {
        let word = next()
        guard let span = word.flatMap(line.span) else {
            throw fault(word, "expected a time with its unit, such as 500ms or 10s")
        }
        return span
    }

    /// How long a step lasts: it has no end where neither a number of requests nor a time is said.
    mutating func extent() throws(ScriptFault) -> ConnectionStep.Extent {
        guard let word = peek, word.first?.isNumber == true else { return .forEver }
        if let span = line.span(word) {
            _ = next()
            return .span(span)
        }
        let count = try number("a number of requests, or a time with its unit such as 10s")
        return .requests(Int(count))
    }

    mutating func errorCode() throws(ScriptFault) -> ErrorCode? {
        guard let word = peek, let (name, value) = line.option(word), name == "code" else { return nil }
        _ = next()
        return try errorCode(value)
    }

    func errorCode(_ value: Substring) throws(ScriptFault) -> ErrorCode {
        guard let code = ErrorCode(scriptText: value) else {
            throw line.fault(value, "expected an error code by number or name, such as INTERNAL_ERROR")
        }
        return code
    }

    /// What stands behind `with`; nil without it.
    mutating func answer() throws(ScriptFault) -> AnswerStep? {
        guard peek == "with", let with = next() else { return nil }
        let step = part[with.endIndex...]
        rest = []
        return try AnswerStep(parsing: step, of: line)
    }
}
