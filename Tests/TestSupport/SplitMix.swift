/// A small generator whose whole state is its seed (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014): what failed once can be repeated.
public struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    /// Starts a sequence of its own for each seed.
    public init(state: UInt64) { self.state = state }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, and without, `bound`.
    public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// True once in `number` times.
    public mutating func chance(_ number: UInt64) -> Bool { next() % number == 0 }
}
