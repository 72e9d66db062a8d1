import Foundation
import Model

/// What time it is: an input like any other, so that tests decide it.
public protocol WallClock: Sendable {
    func now() -> Instant
}

/// The machine's clock.
public struct SystemClock: WallClock {
    /// What a device sends may be ahead of this clock by so many seconds: the clocks of devices are not exact.
    static let tolerance = 600.0
    /// Why something is refused that is further ahead.
    static let isTooFarAhead = "it is more than ten minutes ahead of the clock"

    public init() {}

    public func now() -> Instant {
        Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}

extension Duration {
    /// In seconds.
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
