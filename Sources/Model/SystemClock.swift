import Geodesy

#if canImport(Darwin)
    import Darwin
#else
    import CStandardLibrary
#endif

/// The system's clock.
public struct SystemClock: WallClock {
    /// Creates a clock. All clocks of this type show the same time.
    public init() {}

    /// Seconds by which a time that a device sends may be ahead of this clock. The clocks of devices are not exact.
    package static let tolerance = 600.0

    /// The current time of the system, in UTC.
    public func now() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
