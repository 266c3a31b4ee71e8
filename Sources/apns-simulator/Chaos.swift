internal import HTTP2

/// Makes up connection scripts and answers, the same ones in the same order from the same seed.
///
/// Bad luck is rare enough that work gets done, and every connection ends sooner or later. What would only cost time
/// isn't made up: no connection hangs and no request is ignored until a deadline of the client's has passed, and no
/// provider token is called bad that the client can't replace at once.
struct Chaos {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// What the next connection does.
    mutating func script() -> ConnectionScript {
        switch number(1...100) {
        case ...3: ConnectionScript(steps: [.act(.reject)])
        case ...5: ConnectionScript(steps: [.treat(.silence, span(100...600)), .act(.abort)])
        default: ConnectionScript(steps: start() + middle() + end())
        }
    }

    /// What is answered next to a request whose provider token is so many seconds old.
    mutating func answer(tokenAge: Int64) -> AnswerStep {
        var step = ChaoticAnswers.pick(number(0...ChaoticAnswers.lastTicket))
        if step.blamesProviderToken, tokenAge < Self.replaceableAge { step = AnswerStep() }
        if number(1...100) <= 15 { step.delay = .milliseconds(number(1...400)) }
        guard step.status != 200 else { return step }
        if [429, 503].contains(step.status) {
            step.retryAfter =
                [nil, nil, .seconds(1), .at(.fromNow(.seconds(2)))].randomElement(using: &random) ?? nil
        }
        step.body =
            switch number(1...100) {
            case ...70: .json
            case ...85: .split
            case ...95: .none
            default: .html
            }
        return step
    }

    /// Apple wants no new provider token within 20 minutes (Establishing a token-based connection to APNs); a minute
    /// more, as the client has a clock of its own.
    static let replaceableAge: Int64 = 21 * 60

    /// One stream and an answer, as with Apple; or more from the start.
    private mutating func start() -> [ConnectionStep] {
        [.act(.streams(UInt32(number(1...4) == 1 ? number(2...50) : 1))), .treat(.answer(nil), some(1...5))]
    }

    private mutating func middle() -> [ConnectionStep] {
        (0..<number(1...5)).flatMap { _ in phase() + [.treat(.answer(nil), some(10...200))] }
    }

    private mutating func phase() -> [ConnectionStep] {
        switch number(1...10) {
        case 1...4: [.act(.streams(UInt32(number(20...600))))]
        case 5: [.act(.streams(UInt32(number(1...5))))]
        case 6: [.act(.streams(0)), .treat(.wait, span(20...200)), .act(.streams(UInt32(number(5...200))))]
        case 7: [.treat(.reset(.refusedStream), some(1...3))]
        case 8: [.treat(.reset(ErrorCode(rawValue: UInt32(number(0...13)))), some(1...3))]
        case 9: [.treat(.stopReading, span(20...300))]
        default: [.treat(.wait, span(20...300))]
        }
    }

    private mutating func end() -> [ConnectionStep] {
        switch number(1...8) {
        case 1: [.act(.close)]
        case 2: [.act(.abort)]
        case 3: [goAway(.read), .treat(.answer(nil), span(100...500)), .act(.close)]
        case 4:
            [
                goAway(.all), .treat(.answer(nil), some(1...20)), goAway(.read),
                .treat(.answer(nil), span(50...300)), goAway(.none), .act(.close),
            ]
        case 5: [goAway(.stream(Int32(number(0...50) * 2 + 1))), .act(.abort)]
        case 6: [.treat(.ignore, some(1...3)), .treat(.answer(nil), span(100...800)), .act(.close)]
        case 7: [.treat(.silence, span(50...900)), .act(.abort)]
        default: [.treat(.stopReading, span(50...300)), .act(.abort)]
        }
    }

    private mutating func goAway(_ last: ConnectionStep.GoAway.Last) -> ConnectionStep {
        let codes: [ErrorCode] = [.noError, .noError, .internalError, .enhanceYourCalm]
        let code = codes.randomElement(using: &random)
        let data = ["", #"{"reason":"Shutdown"}"#, #"{"reason":"IdleTimeout"}"#, "bye", "{}"]
        return .act(
            .goAway(
                .init(last: last, code: code ?? .noError, data: data.randomElement(using: &random) ?? "")))
    }

    private mutating func some(_ range: ClosedRange<Int>) -> ConnectionStep.Extent {
        .requests(number(range))
    }

    private mutating func span(_ range: ClosedRange<Int>) -> ConnectionStep.Extent {
        .span(.milliseconds(number(range)))
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
}
