/// Which connection has which script, by their numbers in the order of arrival.
struct ConnectionScripts {
    private var numbered: [(numbers: ClosedRange<Int>, script: ConnectionScript)] = []
    /// For connections without one of their own.
    private var others: ConnectionScript?

    /// The script of this connection, if it has any.
    func script(of connection: Int) -> ConnectionScript? {
        numbered.first { $0.numbers.contains(connection) }?.script ?? others
    }

    /// Reads `connection N|N-M|N-*|* = STEP, STEP, …`.
    mutating func add(_ line: ScriptLine) throws(ScriptFault) {
        let form = "expected connection NUMBERS = STEP, …"
        let (head, parts) = try line.halves(expecting: form)
        let words = head.split(whereSeparator: \.isWhitespace)
        guard words.count == 2 else { throw line.fault(words.last ?? head, form) }
        let taken = "there is a script for this connection already"
        let script = try ConnectionScript(parsing: parts, of: line)
        if words[1] == "*" {
            guard others == nil else { throw line.fault(words[1], taken) }
            others = script
        } else {
            let numbers = try numbers(words[1], line)
            guard !numbered.contains(where: { $0.numbers.overlaps(numbers) }) else {
                throw line.fault(words[1], taken)
            }
            numbered.append((numbers, script))
        }
    }

    private func numbers(_ word: Substring, _ line: ScriptLine) throws(ScriptFault) -> ClosedRange<Int> {
        let bounds = word.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = bounds.first.flatMap({ Int($0) }), first > 0, bounds.count <= 2,
            let last = bounds.count == 1 ? first : bounds[1] == "*" ? .max : Int(bounds[1]), last >= first
        else {
            throw line.fault(word, "expected connections counted from 1: 3, 3-5, 3-* or *")
        }
        return first...last
    }
}
