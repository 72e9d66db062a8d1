import Foundation
import Model

/// A clock for threads that block while they wait. Tests replace it with one that does not wait.
package struct BlockingClock: Sendable {
    package var now: @Sendable () -> Instant
    /// Returns at the given moment.
    package var sleep: @Sendable (_ until: Instant) -> Void

    package init(now: @escaping @Sendable () -> Instant, sleep: @escaping @Sendable (_ until: Instant) -> Void) {
        self.now = now
        self.sleep = sleep
    }

    /// The system clock.
    package static let system = BlockingClock(
        now: { SystemClock().now() },
        sleep: { Thread.sleep(forTimeInterval: max(0, $0 - SystemClock().now())) })
}
