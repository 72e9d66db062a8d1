import Model

extension SystemClock {
    /// What a device sends may be ahead of this clock by so many seconds: the clocks of devices are not exact.
    static let tolerance = 600.0
    /// Why something is refused that is further ahead.
    static let isTooFarAhead = "it is more than ten minutes ahead of the clock"
}
