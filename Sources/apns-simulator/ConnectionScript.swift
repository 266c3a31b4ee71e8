/// What one connection does, step by step; after the last it answers by the rules.
struct ConnectionScript: Equatable {
    let steps: [ConnectionStep]

    /// How many streams it allows from the start.
    var firstStreams: UInt32? { if case .act(.streams(let count))? = steps.first { count } else { nil } }

    /// Whether it says itself how many streams may be open: then nothing is raised after the first 200.
    var setsStreams: Bool {
        steps.contains { if case .act(.streams) = $0 { true } else { false } }
    }
}

extension ConnectionScript: CustomStringConvertible {
    /// As a script has it.
    var description: String { steps.map(\.description).joined(separator: ", ") }
}
