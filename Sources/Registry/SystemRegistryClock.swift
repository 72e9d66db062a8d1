import Model

/// The wall clock of the device, for a registry that stands for the real operating system.
public struct SystemRegistryClock: RegistryClock {
    /// Creates a clock. All clocks of this type show the same time.
    public init() {}

    /// The current time of the device, in UTC.
    public var now: Instant { SystemClock().now() }

    /// Returns at `deadline`, at once if it has passed. The waiting time is measured from the call on, and continues while the device
    /// sleeps; setting the wall clock in the meantime does not change it.
    public func sleep(until deadline: Instant) async throws {
        let milliseconds = deadline.milliseconds - now.milliseconds
        try Task.checkCancellation()
        if milliseconds > 0 { try await Task.sleep(for: .milliseconds(milliseconds)) }
    }
}
