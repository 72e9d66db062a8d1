import Model
import Monitor
import OwnTracks
import Reconciler
import Registry
import SimulatedOS
import Store

/// Repairs registrations: puts the store, the journal and the registries together for `RepairRun`. One repair of a device runs
/// at a time; a second waits for its turn.
public actor RepairCoordinator {
    private let access: any ServiceAccess
    /// Who makes what takes a while, so that nobody who writes waits for it.
    private let readers: any QueryAccess
    private let clock: any WallClock
    /// How phones with an OwnTracks app are reached; nil where nothing reaches them.
    private let phones: OwnTracksPhones?
    private let tell: @Sendable (ServiceNotice) -> Void
    /// The repairs that run, by device.
    private var running: [String: Task<RepairReport, any Error>] = [:]

    /// - Parameters:
    ///   - readers: Who makes what takes a while; nil: `access` does.
    ///   - clock: The service's own.
    ///   - tell: Is told each operation of a repair when it was tried, from any thread.
    public init(
        _ access: any ServiceAccess, readers: (any QueryAccess)? = nil, clock: any WallClock = SystemClock(),
        phones: OwnTracksPhones? = nil,
        tell: @escaping @Sendable (ServiceNotice) -> Void = { _ in }
    ) {
        self.access = access
        self.readers = readers ?? access
        self.clock = clock
        self.phones = phones
        self.tell = tell
    }

    /// The devices to repair: one, or all that are managed.
    public func devices(_ id: String?) async throws(Problem) -> [Device] {
        try await access.perform { service throws(Problem) in try service.managedDevices(id) }
    }

    /// Repairs a device's registrations, and keeps the report.
    ///
    /// - Throws: among others the problem of the phones' file; it concerns this device alone.
    public func repair(_ device: Device) async throws -> RepairReport { try await repair(device, isResumed: false) }

    /// Goes on with the repair of a device whose app has not answered before, and has sent its list now.
    public func resume(_ id: String) async throws {
        let device: Device
        do {
            device = try await access.perform { service throws(Problem) in try service.device(id: id) }
        } catch {
            phones?.endRepair(id, isPending: false)
            throw error
        }
        // It may have become another one's meanwhile.
        guard device.registry == .owntracks, device.platform != nil else {
            phones?.endRepair(id, isPending: false)
            return
        }
        _ = try await repair(device, isResumed: true)
    }

    private func repair(_ device: Device, isResumed: Bool) async throws -> RepairReport {
        while let other = running[device.id] { _ = await other.result }
        let task = Task { try await run(device, isResumed: isResumed) }
        running[device.id] = task
        defer { running[device.id] = nil }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Asks a device's system how its registrations are, and keeps what comes of it. A phone that reports by itself is not asked: what
    /// it has reported last counts.
    ///
    /// - Parameter occasion: Why it is kept.
    /// - Returns: The status; with it what is known when an answer came, and why the simulated phones' file gave none.
    public func look(
        at id: String, _ occasion: @escaping @Sendable (GeofenceHealthStatus) -> Queries.HealthOccasion = { _ in .look }
    ) async throws(Problem) -> (status: GeofenceHealthStatus, assessment: Assessment?, problem: Problem?) {
        let phone = try await access.perform(withCatalogueOf: id, madeBy: readers) {
            service throws(Problem) -> SimulatedPhone? in
            let stored = try service.storedDevice(id: id)
            guard stored.device.registry == .simulated else { return nil }
            _ = try service.showMissed(of: stored.key)
            return service.simulatedPhone(of: stored.device)
        }
        var answer: Result<RegistryReading, Problem>?
        if let phone {
            do throws(Problem) {
                answer = .success(try await phone.ask())
            } catch {
                answer = .failure(error)
            }
        }
        return try await access.perform { [answer] service throws(Problem) in
            let (status, assessment) = try service.health(of: service.device(id: id), answer: answer)
            let problem = service.registryProblem
            try service.record(status, occasion(status))
            return (status, assessment, problem)
        }
    }

    /// What a repair begins with.
    private struct Beginning: Sendable {
        var stored: RegionStore.StoredDevice
        var context: DeviceContext
        var catalogue: FenceCatalogue
    }

    private func run(_ device: Device, isResumed: Bool) async throws -> RepairReport {
        if device.registry == .owntracks, let platform = device.platform {
            return try await run(ownTracks: device, platform, isResumed: isResumed)
        }
        guard device.registry == .simulated, let platform = device.platform else {
            return try await access.perform { service throws(Problem) in try service.plan(device) }
        }
        let (beginning, phone) = try await access.perform(withCatalogueOf: device.id, madeBy: readers) {
            service throws(Problem) in
            let stored = try service.storedDevice(id: device.id)
            _ = try service.showMissed(of: stored.key)
            let beginning = Beginning(
                stored: stored, context: try service.context(of: stored), catalogue: try service.catalogue(for: platform))
            return (beginning, service.simulatedPhone(of: device))
        }
        let reports = try await phone.waitingReports()
        if !reports.isEmpty {
            try await access.perform { service throws(Problem) in try service.note(reports, of: beginning.stored) }
            try await phone.removeReports(reports)
        }
        let report = try await run(beginning, phone)
        if let failure = phone.failure { throw failure }
        return try await record(report, beginning)
    }

    private func run(
        _ beginning: Beginning, _ registry: some RegionRegistry & RegistryClock
    ) async throws -> RepairReport {
        let (access, stored) = (access, beginning.stored)
        let run = RepairRun(
            beginning.context, beginning.catalogue, registry: registry,
            journal: DeviceJournal(access: access, device: stored.key), clock: registry)
        var random = SystemRandomNumberGenerator()
        let tell = tell
        return try await run.run(
            using: &random, progress: { number, step in tell(ServiceNotice(step, number: number, of: stored.device)) }
        ) { states in
            _ = try await access.perform { service throws(Problem) in try service.reconcile(states, stored) }
        }
    }

    private func record(_ report: RepairReport, _ beginning: Beginning) async throws(Problem) -> RepairReport {
        let key = beginning.stored.key
        try await access.perform { service throws(Problem) in try service.record(report, of: key) }
        return report
    }

    // MARK: - OwnTracks

    private func run(ownTracks device: Device, _ platform: Device.Platform, isResumed: Bool) async throws -> RepairReport {
        guard let phones else {
            throw Problem.registryUnavailable(
                details: "only a running service reaches the phone's OwnTracks app; start one with 'picket serve'")
        }
        if !isResumed { phones.beginRepair(device.id) }
        var isPending = false
        defer { phones.endRepair(device.id, isPending: isPending) }
        let (beginning, known) = try await access.perform(withCatalogueOf: device.id, madeBy: readers) {
            service throws(Problem) in
            let stored = try service.storedDevice(id: device.id)
            let known = try service.waypointReport(of: stored, platform)
            let context = if let known { known.context } else { try service.context(of: stored) }
            let beginning = Beginning(
                stored: stored, context: context, catalogue: try service.ownTracksCatalogue(platform))
            return (beginning, known?.report)
        }
        let clock = clock
        let phone = OwnTracksPhone(beginning.stored, platform, beginning.catalogue, access: access, phones: phones)
        // A phone that has sent its list a moment ago is not asked for it again.
        let registry = OwnTracksRegistry(platform, phone: phone, known: isResumed ? known : nil) { clock.now() }
        let report = try await run(beginning, registry)
        isPending = await registry.isSilent
        return try await record(report, beginning)
    }

    /// Whether a repair of a device has to wait until its OwnTracks app is heard.
    func isWaiting(for device: String) -> Bool { phones?.isUnanswered(device) ?? false }

    /// Asks the OwnTracks apps for their lists that have not sent one for an hour: a region that a person removes in the app is told by
    /// nothing else.
    public func askForLists() async throws(Problem) {
        guard let phones else { return }
        let questions = try await access.perform { service throws(Problem) in try service.overdueLists() }
        for question in questions where running[question.device] == nil {
            if question.isUnfinished { phones.resumeRepair(of: question.device) }
            await phones.ask(question.device, question.commands)
        }
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

extension ServiceWriter {
    /// Takes in what a phone's system knows better than the last fix did: events with cause `reconciled`, so that visits close.
    @discardableResult
    func reconcile(_ states: [ReconciledState], _ stored: RegionStore.StoredDevice) throws(Problem) -> [Event] {
        try transaction { () throws(Problem) in
            guard let slot = try slot(of: stored.device.id) else { return [] }
            let profile = PlatformProfile(stored.device.platform ?? .ios)
            let newest = slots[slot].state.newest
            var proved: [ReconciledState] = []
            for known in states {
                guard let geofence = try store.geofence(id: known.geofenceID)?.geofence else { continue }
                let entry = FenceCatalogue.Entry(geofence, profile)
                if entry.proves(known.state, beside: newest, profile) { proved.append(known) }
            }
            var events: [Event] = []
            for known in proved.sorted(by: { ($0.at, $0.geofenceID) < ($1.at, $1.geofenceID) }) where known.state != .unknown {
                guard let fence = try store.geofence(id: known.geofenceID)?.key else { continue }
                // A simulated phone's clock runs ahead of ours when a repair has waited.
                events += try apply(
                    .report(fence, isInside: known.state == .inside, at: min(known.at, clock.now())), toSlot: slot)
            }
            return events
        }
    }
}
