/// What a salvage has saved of one table.
public struct SalvagedTable: Equatable, Sendable {
    /// How many rows are lost.
    public enum Loss: Equatable, Sendable {
        /// So many.
        case exactly(Int)
        /// Some; nothing tells how many.
        case some
    }

    /// The table's name.
    public var name: String
    /// How many rows were copied.
    public var copied: Int
    /// How many weren't.
    public var lost: Loss

    /// Puts a result together, for tests of how it is shown.
    public init(name: String, copied: Int, lost: Loss) {
        (self.name, self.copied, self.lost) = (name, copied, lost)
    }
}
