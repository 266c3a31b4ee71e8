/// Makes up connection scripts and answers, the same ones in the same order from the same seed.
///
/// Bad luck is rare enough that work gets done.
struct Chaos {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// What the connection with this number does.
    mutating func script(of connection: Int) -> ConnectionScript? { nil }

    /// What a request is answered that no rule speaks of.
    mutating func answer() -> AnswerStep { AnswerStep() }
}
