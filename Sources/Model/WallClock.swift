import Geodesy

/// The source of the current time. Tests replace it.
public protocol WallClock: Sendable {
    func now() -> Instant
}

/// The system's clock.
public struct SystemClock: WallClock {
    public init() {}

    public func now() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

extension Duration {
    /// In seconds.
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
