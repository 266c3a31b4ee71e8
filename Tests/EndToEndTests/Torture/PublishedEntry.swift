/// An entry by what its idempotency key is made of.
struct PublishedEntry: Hashable, Sendable {
    let owner: UInt32
    let name: String
}
