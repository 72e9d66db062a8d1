import Model

/// The clock of a registry: the wall clock for a phone, a manual clock for a simulation.
public protocol RegistryClock: Sendable {
    /// The current time, in UTC.
    var now: Instant { get async }

    /// Returns at `deadline`, or throws `CancellationError` if the task is canceled earlier.
    func sleep(until deadline: Instant) async throws
}
