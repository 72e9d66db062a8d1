import Geodesy

/// Reproducible random numbers: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators").
public struct SeededRandom: RandomNumberGenerator, Sendable {
    /// The seed of the sequence, to be printed when a test fails.
    public let seed: UInt64
    private var state: UInt64

    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from the standard normal distribution (Box–Muller transform).
    public mutating func normal() -> Double {
        let radius = (-2 * log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &self))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }
}
