import Foundation
import Model

/// Reproducible random numbers for tests.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    /// The seed of the sequence, to be printed when a test fails.
    package let seed: UInt64
    private var generator: SplitMix64

    package init(seed: UInt64) {
        self.seed = seed
        generator = SplitMix64(state: seed)
    }

    package mutating func next() -> UInt64 { generator.next() }

    /// A number from the standard normal distribution (Box–Muller transform).
    package mutating func normal() -> Double {
        let radius = (-2 * log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &self))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }
}
