import Model
import Monitor
import Reconciler
import Registry
import SimulatedOS
import Store

/// Repairs registrations: puts the store, the journal and the registries together for `RepairRun`. One repair of a device runs
/// at a time; a second waits for its turn.
public actor RepairDesk {
    private let access: any ServiceAccess
    private let clock: any WallClock
    /// The repairs that run, by device.
    private var running: [String: Task<RepairReport, any Error>] = [:]

    /// - Parameter clock: The service's own.
    public init(_ access: any ServiceAccess, clock: any WallClock = SystemClock()) {
        self.access = access
        self.clock = clock
    }

    /// The devices to repair: one, or all that are managed.
    public func devices(_ id: String?) async throws(Problem) -> [Device] {
        try await access.perform { service throws(Problem) in try service.managedDevices(id) }
    }

    /// Repairs a device's registrations, and keeps the report.
    ///
    /// - Throws: among others the problem of the phones' file; it concerns this device alone.
    public func repair(_ device: Device) async throws -> RepairReport {
        while let other = running[device.id] { _ = await other.result }
        let task = Task { try await run(device) }
        running[device.id] = task
        defer { running[device.id] = nil }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// What a repair begins with.
    private struct Beginning: Sendable {
        var stored: RegionStore.StoredDevice
        var situation: Situation
        var catalogue: FenceCatalogue
        var registryPath: String
    }

    private func run(_ device: Device) async throws -> RepairReport {
        guard device.registry == .simulated, let platform = device.platform else {
            return try await access.perform { service throws(Problem) in try service.plan(device) }
        }
        let beginning = try await access.perform { service throws(Problem) in
            let stored = try service.storedDevice(id: device.id)
            try service.noteReports(of: stored)
            return Beginning(
                stored: stored, situation: try service.situation(of: stored), catalogue: try service.catalogue(for: platform),
                registryPath: service.directory.registry)
        }
        let (access, clock, stored) = (access, clock, beginning.stored)
        let registry = try StoredRegistry(path: beginning.registryPath, device: device) { clock.now() }
        let run = RepairRun(
            beginning.situation, beginning.catalogue, registry: registry,
            journal: DeviceJournal(access: access, device: stored.key), clock: registry)
        var random = SystemRandomNumberGenerator()
        let report = try await run.run(using: &random) { states in
            _ = try await access.perform { service throws(Problem) in try service.reconcile(states, stored) }
        }
        if let failure = await registry.failure { throw failure }
        try await access.perform { service throws(Problem) in
            try service.record(report, of: stored.key)
        }
        return report
    }
}

/// The journal of one device, in the store.
private struct DeviceJournal: RepairJournal {
    let access: any ServiceAccess
    let device: DeviceKey

    func load() async throws -> RegistryJournal {
        try await access.perform { [device] service throws(Problem) in try service.store.journal(of: device) }
    }

    func save(_ journal: RegistryJournal) async throws {
        try await access.perform { [device] service throws(Problem) in try service.store.save(journal, of: device) }
    }
}

extension GeofenceService {
    /// Takes in what a phone's system knows better than the last fix did: events with cause `reconciled`, so that visits close.
    @discardableResult
    func reconcile(_ states: [ReconciledState], _ stored: RegionStore.StoredDevice) throws(Problem) -> [Event] {
        try transaction { () throws(Problem) in
            guard let slot = try slot(of: stored.device.id) else { return [] }
            let catalogue = try catalogue(for: stored.device.platform ?? .ios)
            let newest = slots[slot].state.newest
            let states = states.filter { known in
                catalogue[known.geofenceID]?.proves(known.state, beside: newest, catalogue.profile) ?? false
            }
            return try change(slot) { engine, state, transitions in
                for known in states.sorted(by: { ($0.at, $0.geofenceID) < ($1.at, $1.geofenceID) })
                where known.state != .unknown {
                    // A simulated phone's clock runs ahead of ours when a repair has waited.
                    let moment = min(known.at, clock.now())
                    // What fell due before comes first, as it does in a replay.
                    engine.advance(before: moment, &state, &transitions)
                    engine.reconcile(
                        known.geofenceID, isInside: known.state == .inside, at: moment, &state, &transitions)
                }
            }
        }
    }
}
