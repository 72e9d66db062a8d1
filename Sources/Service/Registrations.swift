import Foundation
import Model
import Reconciler
import Registry
import SimulatedOS
import Store

extension GeofenceService {
    // MARK: - What is known

    /// A device with its newest fix and the geofences that it is in.
    func situation(of stored: RegionStore.StoredDevice) throws(Problem) -> Situation {
        let newest = try store.state(of: stored, policy: policy).newest
        return Situation(
            device: stored.device, fixes: newest.map { [$0] } ?? [], openVisits: try store.openVisits(of: stored.key))
    }

    /// The device of that id with its number.
    func storedDevice(id: String) throws(Problem) -> RegionStore.StoredDevice {
        guard let stored = try store.device(id: id) else { throw try noDevice(id) }
        return stored
    }

    /// The problem that there is no such device, with ids that may have been meant.
    func noDevice(_ id: String) throws(Problem) -> Problem {
        .notFound(kind: "device", id: id, similar: Spelling.similar(to: id, among: try store.deviceIDs(like: id)))
    }

    /// The devices whose registrations are asked about: one, or all that are managed.
    public func managedDevices(_ id: String? = nil) throws(Problem) -> [Device] {
        if let id { return [try device(id: id)] }
        return try devices().filter { $0.registry != .none }
    }

    // MARK: - The simulated operating system

    /// The simulated systems' file; made when first needed.
    func phones() throws(Problem) -> RegistryFile {
        if let registryFile { return registryFile }
        let file = try RegistryFile(path: directory.registry)
        registryFile = file
        return file
    }

    /// Lets something happen to a device's simulated operating system.
    ///
    /// - Throws: `Problem.validationFailed` for a device whose registry is not simulated: a real phone is not operated from
    ///   here.
    public func operate<Result>(
        _ device: Device, _ body: (inout SimulatedOS) -> Result
    ) throws(Problem) -> Result {
        guard device.registry == .simulated else {
            throw .validationFailed(
                field: "device", value: device.id,
                reason: device.registry == .none
                    ? "it has no registry: it is not managed"
                    : "its registry is no simulation, and a real phone is not operated from here",
                expected: "a device made with 'picket device add ID --platform ios' or android")
        }
        return try phones().change(device, at: clock.now(), body)
    }

    /// Shows a simulated phone the fixes that Picket got of it, and notes what it tells by itself.
    func show(_ fixes: [Fix], to stored: RegionStore.StoredDevice) throws(Problem) {
        let reports = try phones().change(stored.device, at: .earliest) { os in
            for fix in fixes { os.observe(fix) }
            return os.takeReports()
        }
        if stored.device.autoRepair, let newest = fixes.last { repairHints.moved[stored.device.id] = newest.coordinate }
        try note(reports, of: stored)
    }

    /// Notes what a simulated phone has told since it was last asked.
    func noteReports(of stored: RegionStore.StoredDevice) throws(Problem) {
        guard stored.device.registry == .simulated else { return }
        try note(phones().change(stored.device, at: clock.now()) { $0.takeReports() }, of: stored)
    }

    /// Notes what a phone's system has told by itself.
    func note(_ reports: [RegistryReport], of stored: RegionStore.StoredDevice) throws(Problem) {
        if reports.isEmpty { return }
        if stored.device.autoRepair, reports.contains(where: \.asksForRepair) { repairHints.troubled.insert(stored.device.id) }
        var journal = try store.journal(of: stored.key)
        for report in reports { journal.note(report) }
        try store.save(journal, of: stored.key)
    }

    // MARK: - Health

    /// How healthy a device's registrations are.
    ///
    /// - Returns: The status; with it what is known when an answer came, to explain single fences by.
    public func health(of device: Device) throws(Problem) -> (status: GeofenceHealthStatus, assessment: Assessment?) {
        registryProblem = nil
        let stored = try storedDevice(id: device.id)
        if device.registry == .app, let platform = device.platform { return try health(ofApp: stored, platform) }
        if device.registry == .owntracks, let platform = device.platform { return try health(ofOwnTracks: stored, platform) }
        guard device.registry == .simulated, let platform = device.platform else {
            if device.registry == .none { return (.notManaged(device), nil) }
            return (.unknown(try situation(of: stored), try catalogue(for: device.platform ?? .ios)), nil)
        }
        let catalogue = try catalogue(for: platform)
        let situation = try situation(of: stored)
        do {
            // Only a look: what the phone has told stays with it until a repair or its next fix takes it.
            let (answer, reports) = try phones().change(device, at: clock.now()) { os in
                var copy = os
                return (os.answer(), copy.takeReports())
            }
            guard case .success(let snapshot) = answer else { return (.unknown(situation, catalogue), nil) }
            var journal = try store.journal(of: stored.key)
            for report in reports { journal.note(report) }
            let assessment = Assessment(snapshot, situation, catalogue, journal)
            return (GeofenceHealthStatus(assessment), assessment)
        } catch {
            guard error.isOfRegistry(directory) else { throw error }
            registryProblem = error
            return (.unknown(situation, catalogue), nil)
        }
    }

    /// What a repair of a device would do.
    public func plan(_ device: Device) throws(Problem) -> RepairReport {
        let (status, assessment) = try health(of: device)
        guard let assessment else { return RepairReport(nothingDone: status, at: clock.now()) }
        return RepairReport(planned: assessment)
    }

    /// Whether the health of a device is not what was last kept.
    public func isNews(_ status: GeofenceHealthStatus) throws(Problem) -> Bool {
        try store.isNews(status, of: storedDevice(id: status.device.id).key)
    }

    public func healthHistory(
        of device: Device
    ) throws(Problem) -> [(at: Instant, isHealthy: Bool?, summary: String)] {
        try store.healthHistory(of: storedDevice(id: device.id).key)
    }

    /// Calls `body` with the reports of a device's repairs, the newest first.
    public func forEachRepair(of device: Device, _ body: (JSONValue) throws(Problem) -> Void) throws(Problem) {
        try store.forEachRepair(of: storedDevice(id: device.id).key, body)
    }
}

extension RegistryReport {
    /// Whether it says that what is registered may no longer be right.
    fileprivate var asksForRepair: Bool {
        switch kind {
        case .failed: true
        case .exited: region == .sentinel
        case .entered: false
        }
    }
}

extension SimulatedOS {
    /// The snapshot, or why there is none.
    fileprivate mutating func answer() -> Result<RegistrySnapshot, RegistryError> {
        do throws(RegistryError) {
            return .success(try snapshot())
        } catch {
            return .failure(error)
        }
    }
}

extension Problem {
    /// Whether it is about the simulated systems' file.
    func isOfRegistry(_ directory: DataDirectory) -> Bool {
        switch self {
        case .storeCorrupt(let path, _), .storeFull(let path), .storeBusy(let path, _), .storeFailed(let path, _),
            .storeTooNew(let path, _, _), .migrationFailed(let path, _, _), .fileFailed(let path, _):
            path == directory.registry
        default: false
        }
    }
}
