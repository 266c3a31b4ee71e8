import Posix

@testable import APNsSimulatorCommand

extension Reader {
    static func script(_ file: [UInt8]) throws(BrokenPromise) {
        var script = Script()
        do throws(ScriptFault) {
            try script.add(lines: String(decoding: file, as: UTF8.self))
        } catch {
            // The lines before it stand.
            try promise(isOneLine("\(error)") && error.column > 0, "a fault is told in one line: \(error)")
        }
        for number in [1, 2, 1000] { try connection(script.connections.script(of: number)) }
        for token in ["", "ab", "00fc"] {
            for _ in 0..<5 { try answer(script.answers.next(for: token)) }
        }
    }

    private static func connection(_ script: ConnectionScript?) throws(BrokenPromise) {
        guard let script else { return }
        var again = Script()
        try? again.add(lines: "connection 1 = \(script)")
        try promise(again.connections.script(of: 1) == script, "a script's text reads the same: \(script)")
        var play = ConnectionPlay(script)
        _ = play.accepted(now: .zero)
        _ = play.established(now: .zero)
        for turn in 1...8 {
            _ = play.treatment()
            _ = play.advance(now: .seconds(turn * 86_400))
        }
    }

    private static func answer(_ step: AnswerStep?) throws(BrokenPromise) {
        guard let step else { return }
        var again = Script()
        try? again.add(lines: "* = \(step)")
        try promise(again.answers.next(for: "") == step, "an answer's text reads the same: \(step)")
        let answer = SimulatedAnswer(step, apnsID: "", now: WallTime(milliseconds: 1_790_000_000_000))
        for header in answer.headers {
            try promise(isOneLine("\(header)"), "a header field is one line: \(header)")
        }
        try promise(answer.body.count < 4096, "a body is short")
    }
}
