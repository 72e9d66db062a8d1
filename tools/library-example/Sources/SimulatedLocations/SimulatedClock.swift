import PicketModel
import Registry

/// A clock whose `sleep` moves the time instead of waiting.
@MainActor
public final class SimulatedClock: RegistryClock {
    public private(set) var now: Instant

    public init(_ now: Instant) { self.now = now }

    public func sleep(until deadline: Instant) async throws {
        try Task.checkCancellation()
        now = max(now, deadline)
    }
}
