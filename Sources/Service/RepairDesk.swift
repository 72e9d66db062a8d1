import Model
import Monitor
import Reconciler
import Registry
import SimulatedOS
import Store

/// Repairs registrations: puts the store, the journal and the registries together for `RepairRun`. It holds the right to write to
/// the data directory for as long as it lives.
public actor RepairDesk {
    private let service: GeofenceService
    private let clock: any WallClock

    /// - Throws: `Problem.storeBusy` while another process writes to the directory: it says who works there.
    public init(_ directory: DataDirectory, purpose: String, clock: any WallClock = SystemClock()) throws(Problem) {
        service = try GeofenceService(writing: directory, purpose: purpose, clock: clock)
        self.clock = clock
    }

    /// The devices to repair: one, or all that are managed.
    public func devices(_ id: String?) throws(Problem) -> [Device] { try service.managedDevices(id) }

    /// Repairs a device's registrations, and keeps the report.
    ///
    /// - Throws: among others the problem of the phones' file; it concerns this device alone.
    public func repair(_ device: Device) async throws -> RepairReport {
        guard device.registry == .simulated, let platform = device.platform else { return try service.plan(device) }
        let stored = try service.storedDevice(id: device.id)
        try service.noteReports(of: stored)
        let clock = clock
        let registry = try StoredRegistry(path: service.directory.registry, device: device) { clock.now() }
        let run = RepairRun(
            try service.situation(of: stored), try service.catalogue(for: platform), registry: registry,
            journal: DeviceJournal(desk: self, device: stored.key), clock: registry)
        var random = SystemRandomNumberGenerator()
        let report = try await run.run(using: &random) { @Sendable [self] states in
            try await reconcile(states, stored)
        }
        if let failure = await registry.failure { throw failure }
        try service.store.append(report, of: stored.key, at: clock.now())
        try service.record(report.after)
        return report
    }

    private func reconcile(_ states: [ReconciledState], _ stored: RegionStore.StoredDevice) throws(Problem) {
        try service.reconcile(states, stored)
    }

    fileprivate func load(_ device: DeviceKey) throws(Problem) -> RegistryJournal { try service.store.journal(of: device) }

    fileprivate func save(_ journal: RegistryJournal, _ device: DeviceKey) throws(Problem) {
        try service.store.save(journal, of: device)
    }
}

/// The journal of one device, in the store.
private struct DeviceJournal: RepairJournal {
    let desk: RepairDesk
    let device: DeviceKey

    func load() async throws -> RegistryJournal { try await desk.load(device) }
    func save(_ journal: RegistryJournal) async throws { try await desk.save(journal, device) }
}

extension GeofenceService {
    /// Takes in what a phone's system knows better than the last fix did: events with cause `reconciled`, so that visits close.
    @discardableResult
    func reconcile(_ states: [ReconciledState], _ stored: RegionStore.StoredDevice) throws(Problem) -> [Event] {
        defer { forget() }
        return try transaction { () throws(Problem) in
            forget()
            guard let slot = try slot(of: stored.device.id) else { return [] }
            let catalogue = try catalogue(for: stored.device.platform ?? .ios)
            let newest = slots[slot].state.newest
            let states = states.filter { known in
                catalogue[known.geofenceID]?.proves(known.state, beside: newest, catalogue.profile) ?? false
            }
            return try change(slot) { engine, state, transitions in
                for known in states.sorted(by: { $0.geofenceID < $1.geofenceID }) where known.state != .unknown {
                    // A simulated phone's clock runs ahead of ours when a repair has waited.
                    engine.reconcile(
                        known.geofenceID, isInside: known.state == .inside, at: min(known.at, clock.now()), &state, &transitions)
                }
            }
        }
    }
}
