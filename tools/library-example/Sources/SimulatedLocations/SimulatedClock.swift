import PicketModel
import Registry
import Synchronization

/// A clock whose `sleep` moves the time instead of waiting.
public final class SimulatedClock: RegistryClock {
    private let time: Mutex<Instant>

    public init(_ now: Instant) { time = Mutex(now) }

    public var now: Instant { time.withLock { $0 } }

    public func sleep(until deadline: Instant) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline) }
    }
}
