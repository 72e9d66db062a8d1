import Geodesy
import Model
import PicketModel
import Reconciler
import Registry

/// Keeps the operating system's regions in sync with the places that the app has saved.
public actor GeofenceMonitor {
    private let registry: any RegionRegistry
    private let journal: any RepairJournal
    private let clock: any RegistryClock
    private var candidates: RegionCandidates
    private var context: DeviceContext
    /// The work that was begun last. The next work waits for it, because only one task at a time may write the journal.
    private var last: Task<Void, Never>?

    /// - Parameters:
    ///   - places: All places of the app. A repair removes the regions of all others.
    ///   - openVisits: The ids of the places that the device was in when the app ended.
    public init(
        places: [Place], openVisits: Set<String> = [], registry: any RegionRegistry, journal: any RepairJournal,
        clock: any RegistryClock = SystemRegistryClock()
    ) {
        self.registry = registry
        self.journal = journal
        self.clock = clock
        candidates = RegionCandidates(places.map(\.geofence), profile: registry.profile)
        let device = Device(id: "this-phone", platform: registry.profile.platform, registry: .app)
        context = DeviceContext(device: device, openVisits: openVisits)
    }

    /// The ids of the places that the device is in, as far as the app was notified. The app saves them.
    public var openVisits: Set<String> { context.openVisits }

    /// Replaces all places. Call `repair` afterward.
    public func update(places: [Place]) {
        candidates = RegionCandidates(places.map(\.geofence), profile: registry.profile)
    }

    /// Takes a position of the device, unless it has a newer one. With more places than regions, the nearest are registered.
    public func update(fix: Fix) {
        guard context.fix.map({ $0.time < fix.time }) ?? true else { return }
        context.fixes = context.fixes.filter { fix.time - $0.time < 900 } + [fix]
    }

    /// Whether the operating system monitors what it should. Changes nothing.
    public func health() async throws -> GeofenceHealthStatus {
        GeofenceHealthStatus(try await run.assess())
    }

    /// Repairs the regions that are registered with the operating system.
    public func repair() async throws -> RepairOutcome {
        try await inTurn {
            var random = SystemRandomNumberGenerator()
            return try await self.run.run(using: &random) { states in
                for state in states { await self.record(state) }
            }
        }
    }

    /// Handles a report of the operating system: opens or closes a visit, and repairs when the device has left the sentinel.
    ///
    /// - Returns: What a repair did; nil if none was needed.
    @discardableResult
    public func handle(_ report: RegistryReport) async throws -> RepairOutcome? {
        if let fix = report.fix { update(fix: fix) }
        try await inTurn {
            var known = try await self.journal.load()
            known.record(report)
            try await self.journal.save(known)
        }
        if let state = context.contradiction(of: report) { record(state) }
        return report.region == .sentinel && report.kind == .exited ? try await repair() : nil
    }

    private var run: RepairRun { RepairRun(context, candidates, registry: registry, journal: journal, clock: clock) }

    private func record(_ state: ReconciledState) {
        if state.state == .inside {
            context.openVisits.insert(state.geofenceID)
        } else {
            context.openVisits.remove(state.geofenceID)
        }
    }

    /// Runs `work` when all earlier work has ended. Canceling the caller's task cancels `work`.
    private func inTurn<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let previous = last
        let task = Task {
            await previous?.value
            try Task.checkCancellation()
            return try await work()
        }
        last = Task { _ = await task.result }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension Place {
    /// The place as a geofence of Picket's library.
    var geofence: Geofence {
        Geofence(
            id: id, name: name,
            shape: .circle(Circle(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius)))
    }
}
