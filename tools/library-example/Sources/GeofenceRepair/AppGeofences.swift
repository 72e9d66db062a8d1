import Model
import PicketModel
import Reconciler
import Registry

/// What the app keeps as long as it runs. Create it while the app is being launched: the event for which iOS launched the app
/// arrives right after.
@MainActor
public final class AppGeofences {
    public let monitor: GeofenceMonitor
    private let manager: any LocationManaging
    private let reports: Task<Void, Never>

    /// - Parameters:
    ///   - places: All places that the app has saved.
    ///   - openVisits: The places that the device was in, as the app has saved them.
    ///   - handled: Called after each report of the operating system that was handled, with the repair that it led to, or with the error.
    public init(
        _ manager: any LocationManaging, places: [Place], openVisits: Set<String> = [], journal: any RepairJournal,
        clock: any RegistryClock = SystemRegistryClock(),
        handled: @escaping @Sendable (RegistryReport, Result<RepairOutcome?, any Error>) -> Void
    ) {
        self.manager = manager
        let registry = CoreLocationRegistry(manager, clock: clock)
        let monitor = GeofenceMonitor(places: places, openVisits: openVisits, registry: registry, journal: journal, clock: clock)
        self.monitor = monitor
        // The subscription begins here, not when the task runs.
        let stream = registry.reports
        reports = Task {
            for await report in stream {
                do {
                    handled(report, .success(try await monitor.handle(report)))
                } catch {
                    handled(report, .failure(error))
                }
            }
        }
    }

    deinit { reports.cancel() }

    /// Registers what is missing and removes what is stale. Call it after a launch, after an edit of a place, when the app
    /// becomes active, and from a background refresh task. Makes no calls if nothing is wrong.
    ///
    /// - Parameter places: All places that the app has saved.
    public func repair(places: [Place]) async throws -> RepairOutcome {
        await monitor.update(places: places)
        if let fix = manager.latestFix { await monitor.update(fix: fix) }
        return try await monitor.repair()
    }
}
