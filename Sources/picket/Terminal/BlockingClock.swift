import Foundation
import Model
import Service

/// The clock of a thread that has nothing to do but wait. Tests give one that nobody waits for.
struct BlockingClock: Sendable {
    var now: @Sendable () -> Instant
    /// Returns at that moment.
    var sleep: @Sendable (_ until: Instant) -> Void

    /// The machine's.
    static let system = BlockingClock(
        now: { SystemClock().now() },
        sleep: { Thread.sleep(forTimeInterval: max(0, $0 - SystemClock().now())) })
}
