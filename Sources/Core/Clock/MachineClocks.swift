import Model

/// The clocks of the machine that a service runs on. Tests replace them.
protocol MachineClocks: Sendable {
    /// The time of the machine, in UTC. It can be wrong, and it can be set while the service runs.
    func wallTime() -> Instant
    /// Milliseconds since the machine was started, including those in which it was suspended. This clock cannot be set.
    func uptime() -> Int64
    /// Whether the kernel's clock is synchronized with a time server.
    func isSynchronized() -> Bool
    /// A name that is different after each start of the machine; empty if the system does not provide it.
    func boot() -> String
}
