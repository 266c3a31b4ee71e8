/// A system call that a program made under strace(1): the nth of its name, which is how strace(1) counts them.
public struct TracedCall: Sendable, CustomStringConvertible {
    /// The call.
    public let name: String
    /// Counted from 1 since the program was executed.
    public let number: Int

    /// Names it as an assertion's comment does.
    public var description: String { "\(name) \(number)" }

    /// The option that makes something else of this call, such as `error=EIO` or `signal=KILL`.
    public func injection(_ fault: String) -> String { "inject=\(name):\(fault):when=\(number)" }

    /// All calls in a trace from the first line on that `start` is part of.
    ///
    /// What comes before is the loader's, which no program can do anything about.
    public static func all(in trace: [String], from start: String) -> [TracedCall] {
        var counts: [String: Int] = [:]
        var calls: [TracedCall] = []
        var hasStarted = false
        for line in trace {
            guard let parenthesis = line.firstIndex(of: "("), !line.hasPrefix("+++"), !line.hasPrefix("---")
            else { continue }
            let name = String(line[..<parenthesis])
            counts[name, default: 0] += 1
            hasStarted = hasStarted || line.contains(start)
            if hasStarted { calls.append(TracedCall(name: name, number: counts[name] ?? 0)) }
        }
        return calls
    }
}
