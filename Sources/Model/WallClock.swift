import Geodesy

/// The source of the current time. Tests replace it.
public protocol WallClock: Sendable {
    /// The current time, in UTC.
    func now() -> Instant
}

extension Duration {
    /// In seconds.
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
