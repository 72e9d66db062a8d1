/// The random number generator of the simulation: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators"). Its
/// whole state is one word, which is easy to save.
struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns true with the given probability, from 0 to 1.
    mutating func falls(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &self) < share }
}
