import Model
import Registry
import SimulatedOS

/// A simulated operating system in memory, as the registry that an app sees, with its clock.
///
/// `sleep(until:)` does not wait: it advances the simulated clock. Reports that become due are sent to the subscribers of `reports`.
package actor SimulatedRegistry: RegionRegistry, RegistryClock {
    package nonisolated let profile: PlatformProfile
    private var os: SimulatedOS
    private var subscribers: [Int: AsyncStream<RegistryReport>.Continuation] = [:]
    private var subscriptions = 0

    package init(_ os: SimulatedOS) {
        profile = os.profile
        self.os = os
    }

    /// The simulated operating system as it is now.
    package var state: SimulatedOS { os }

    package var now: Instant { os.now }

    /// Moves the clock to `deadline` at once.
    package func sleep(until deadline: Instant) throws {
        try Task.checkCancellation()
        change { $0.advance(to: deadline) }
    }

    /// Changes the simulated operating system with `body`, and sends the resulting reports to the subscribers.
    @discardableResult
    package func change<Result>(_ body: (inout SimulatedOS) throws -> Result) rethrows -> Result {
        defer { sendReports() }
        return try body(&os)
    }

    package func snapshot() throws(RegistryError) -> RegistrySnapshot {
        defer { sendReports() }
        return try os.snapshot()
    }

    package func startMonitoring(_ region: Region) throws(RegistryError) {
        defer { sendReports() }
        try os.startMonitoring(region)
    }

    package func stopMonitoring(_ id: RegionID) throws(RegistryError) {
        defer { sendReports() }
        try os.stopMonitoring(id)
    }

    package func requestState(_ id: RegionID) throws(RegistryError) -> RegionState {
        defer { sendReports() }
        return try os.requestState(id)
    }

    package var reports: AsyncStream<RegistryReport> {
        let (stream, continuation) = AsyncStream.makeStream(of: RegistryReport.self)
        subscriptions += 1
        let number = subscriptions
        subscribers[number] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.unsubscribe(number) } }
        return stream
    }

    private func unsubscribe(_ number: Int) { subscribers[number] = nil }

    /// Sends all new reports to the subscribers.
    private func sendReports() {
        for report in os.takeReports() { for subscriber in subscribers.values { subscriber.yield(report) } }
    }
}
