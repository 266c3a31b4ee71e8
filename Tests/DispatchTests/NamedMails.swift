import JSON

@testable import DispatchCommand

extension ScriptedApple.Request {
    private var reference: JSONValue? { (try? JSONParser.parse(body))?["msgRef"] }

    /// The uid that it names.
    var uid: Int { Int(reference?["uid"]?.integer ?? -1) }

    /// The mail that it names, as `INBOX 7 of 1700000001`, or `INBOX 0`.
    var place: String {
        let of = reference?["uidValidity"]?.integer.map { " of \($0)" } ?? ""
        return "\(reference?["folder"]?.string ?? "?") \(uid)\(of)"
    }
}

extension ScriptedApple {
    /// The mails that its requests named, oldest first.
    var places: [String] { requests.map(\.place) }
}

extension LoopBench {
    /// Turns the loop until Apple has had so many requests.
    func run(untilRequests count: Int) throws {
        try run(until: "\(count) requests") { apple.requests.count >= count }
    }
}
