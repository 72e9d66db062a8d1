/// A random number generator whose numbers follow from a seed: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators"). Its whole state is one word, which is easy to save.
package struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    package var state: UInt64

    /// - Parameter state: A seed, or the saved state of a generator, which is continued.
    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
