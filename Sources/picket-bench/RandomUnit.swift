import Model

extension SplitMix64 {
    /// A number from 0 up to but not including 1. `Double.random` returns other numbers for the same seed.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
