import Foundation
import Model
import Service

/// A clock for threads that block while they wait. Tests replace it by one that does not wait.
struct BlockingClock: Sendable {
    var now: @Sendable () -> Instant
    /// Returns at the given moment.
    var sleep: @Sendable (_ until: Instant) -> Void

    /// The system clock.
    static let system = BlockingClock(
        now: { SystemClock().now() },
        sleep: { Thread.sleep(forTimeInterval: max(0, $0 - SystemClock().now())) })
}
