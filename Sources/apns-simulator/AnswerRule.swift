/// What is answered to the device tokens that begin with a prefix, step by step.
struct AnswerRule: Equatable {
    /// Lower-case hexadecimal digits; none for every device token.
    let prefix: String
    /// At least one; the last is repeated.
    let steps: [AnswerStep]
}
