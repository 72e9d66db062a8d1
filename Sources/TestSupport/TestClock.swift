import Model
import Synchronization

/// A clock that a test sets; at first it is long after every recorded track.
package final class TestClock: WallClock {
    private let time: Mutex<Instant>

    package init(time: Instant = Instant("2026-11-20T12:00:00Z")!) { self.time = Mutex(time) }

    package func set(_ now: Instant) { time.withLock { $0 = now } }
    package func now() -> Instant { time.withLock { $0 } }
}
