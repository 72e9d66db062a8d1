import Model

extension SystemClock {
    /// Seconds by which a time that a device sends may be ahead of this clock. The clocks of devices are not exact.
    static let tolerance = 600.0
    /// The reason for refusing a time that is further ahead.
    static let isTooFarAhead = "it is more than ten minutes ahead of the clock"
}
