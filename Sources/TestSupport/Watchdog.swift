import Foundation

/// The timeout of everything that tests wait for, so that a test fails instead of blocking when it does not happen.
///
/// No test depends on this time. It is much longer than anything takes on a busy machine.
package enum Watchdog {
    package static let seconds = 500.0

    /// Waits until a condition holds. Returns false when the time is over.
    package static func wait(until isTrue: () throws -> Bool) rethrows -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while try !isTrue() {
            if ContinuousClock.now > end { return false }
            sched_yield()
        }
        return true
    }
}
