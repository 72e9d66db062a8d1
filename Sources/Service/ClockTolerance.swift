import Model

extension SystemClock {
    /// Seconds by which a time that a device sends may be ahead of this clock. The clocks of devices are not exact.
    static let tolerance = 600.0
}
