import Model
import Monitor
import SQLite

/// An entry of the input log.
package struct LoggedInput: Sendable {
    package enum Kind: Sendable {
        /// With the seconds that it was behind the clock when it came; 0 for up to a minute.
        case fix(Fix, lag: Double)
        /// The geofences became those of a revision.
        case fences(revision: Int64)
        /// The device's rules became the next ones of its `RulesHistory`.
        case rules
        case clock(Instant)
        case life(Instant)
        case report(FenceKey, isInside: Bool, at: Instant)
    }

    package var place: LogPlace
    /// Nil when it concerns all devices.
    package var device: DeviceKey?
    package var kind: Kind
    /// It came after something newer, and was not judged then.
    package var isLate = false
    /// It came late, and a replay has judged it since.
    package var isReplayed = false

    /// Grows from entry to entry; see `LogPlace`.
    package var number: Int64 { place.number }

    /// It came late, and no replay has judged it yet.
    package var isWaiting: Bool { isLate && !isReplayed }
}
