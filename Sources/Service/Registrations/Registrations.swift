import Foundation
import Model
import Reconciler
import Registry
import SimulatedOS
import Store

extension Queries {
    // MARK: - Devices

    /// The device with its newest fix and its open visits.
    func context(of stored: PicketStore.StoredDevice) throws(Problem) -> DeviceContext {
        let newest = try store.state(of: stored, policy: policy).newest
        return DeviceContext(
            device: stored.device, fixes: newest.map { [$0] } ?? [], openVisits: try store.openVisits(of: stored.key))
    }

    /// The device with this id and its key. Throws `Problem.notFound` if there is none.
    func storedDevice(id: String) throws(Problem) -> PicketStore.StoredDevice {
        guard let stored = try store.device(id: id) else { throw try noDevice(id) }
        return stored
    }

    /// The problem that a device does not exist, with similar ids.
    func noDevice(_ id: String) throws(Problem) -> Problem {
        .notFound(kind: .device, id: id, similar: Suggestions.similar(to: id, among: try store.deviceIDs(like: id)))
    }

    // MARK: - Simulated operating systems

    /// Changes a device's simulated operating system on the calling thread. For a process without a service.
    ///
    /// - Throws: `Problem.validationFailed` if the device's registry is not simulated, because a real phone cannot be changed from here.
    package func changeSimulatedOS<Result>(
        of device: Device, _ body: (inout SimulatedOS) -> Result
    ) throws(Problem) -> Result {
        try device.checkSimulated()
        try passMissedPositions(of: storedDevice(id: device.id).key)
        return try phones.onThisThread { file throws(Problem) in try file.change(device, at: clock.now(), body) }
    }

    // MARK: - Health

    /// The health of a device's registrations.
    ///
    /// - Parameter answer: The answer of the device's operating system to a call; nil to read its registry.
    /// - Returns: The status; and the assessment, with which single geofences can be explained, unless the registry gave no answer.
    package func health(
        of device: Device, answer: Result<RegistryReading, Problem>? = nil
    ) throws(Problem) -> (status: GeofenceHealthStatus, assessment: Assessment?) {
        let found = try assess(device, answer: answer)
        return (found.status, found.assessment)
    }

    /// The health of a device's registrations, and what it was derived from.
    struct HealthAssessment {
        var status: GeofenceHealthStatus
        /// Nil if the registry gave no answer.
        var assessment: Assessment?
        /// See `RegistryReading.changesAt`.
        var registryChangesAt: Instant?

        init(_ status: GeofenceHealthStatus) { self.status = status }
    }

    /// See `health(of:answer:)`.
    func assess(_ device: Device, answer: Result<RegistryReading, Problem>? = nil) throws(Problem) -> HealthAssessment {
        registryProblem = nil
        let stored = try storedDevice(id: device.id)
        guard device.registry != .none else { return HealthAssessment(.notManaged(device)) }
        guard let platform = device.platform else {
            return HealthAssessment(.unknown(try context(of: stored), try candidates(for: .ios)))
        }
        let phone = try phone(of: stored, platform)
        let platformCandidates = try candidates(for: platform)
        let reading: RegistryReading
        do {
            let answer = device.registry == .simulated ? answer : nil
            reading = if let answer { try answer.get() } else { try self.reading(of: phone.registry, stored) }
        } catch {
            if error.concernsRegistryFile(of: directory) { registryProblem = error } else if !error.meansNoAnswer { throw error }
            return HealthAssessment(.unknown(phone.context, platformCandidates.with(phone.registry.profile)))
        }
        let candidates = platformCandidates.with(reading.profile ?? phone.registry.profile)
        let staleAt = reading.reportedAt.flatMap { appReportMaxAge.isFinite ? $0 + appReportMaxAge : nil }
        if let reportedAt = reading.reportedAt, let staleAt, clock.now() > staleAt {
            return HealthAssessment(.stale(phone.context, candidates, reportedAt: reportedAt, staleAt: staleAt))
        }
        var journal = try store.journal(of: stored.key)
        for report in reading.reports { journal.record(report) }
        let assessment = Assessment(of: reading.snapshot, in: phone.context, candidates: candidates, journal: journal)
        let status = GeofenceHealthStatus(assessment)
        var found = HealthAssessment(reading.reportedAt.map { status.reported(at: $0, staleAt: staleAt) } ?? status)
        found.assessment = assessment
        found.registryChangesAt = reading.changesAt
        return found
    }

    /// The registry of a device's phone, and the context for its assessment.
    private func phone(
        of stored: PicketStore.StoredDevice, _ platform: Device.Platform
    ) throws(Problem) -> (registry: any RecordedRegistry, context: DeviceContext) {
        switch stored.device.registry {
        case .app: (try appRegistry(of: stored, platform), try context(of: stored))
        case .owntracks: try ownTracksRegistry(of: stored, platform)
        case .simulated, .none: (simulatedPhone(of: stored.device), try context(of: stored))
        }
    }

    func simulatedPhone(of device: Device) -> SimulatedPhone {
        let clock = clock
        return SimulatedPhone(of: device, in: phones) { clock.now() }
    }

    private func reading(
        of registry: any RecordedRegistry, _ stored: PicketStore.StoredDevice
    ) throws(Problem) -> RegistryReading {
        guard stored.device.registry == .simulated else { return try registry.reading() }
        guard mayWaitForPhones else { throw .registryUnavailable(details: Phrase("the device's operating system was not asked")) }
        if let unreadablePhones { throw unreadablePhones }
        do {
            try passMissedPositions(of: stored.key)
            return try registry.reading()
        } catch {
            if phones.isServing, case .storeBusy = error { unreadablePhones = error }
            throw error
        }
    }

    /// The report of what a repair of a device would do.
    package func repairPlan(for device: Device) throws(Problem) -> RepairOutcome {
        let (status, assessment) = try health(of: device)
        guard let assessment else { return RepairOutcome(nothingDone: status, at: clock.now()) }
        return RepairOutcome(planned: assessment)
    }

    /// The stored health of a device over time.
    package func healthHistory(
        of device: Device
    ) throws(Problem) -> [(at: Instant, isHealthy: Bool?, summary: Phrase)] {
        try store.healthHistory(of: storedDevice(id: device.id).key)
    }

    /// Calls `body` with the reports of a device's repairs, newest first.
    package func forEachRepair(of device: Device, _ body: (RepairRecord) throws(Problem) -> Void) throws(Problem) {
        try store.forEachRepair(of: storedDevice(id: device.id).key, body)
    }
}

extension ServiceWriter {
    /// Removes a device's simulated phone. While a service runs, the phone is removed after the open transaction is committed.
    func removePhone(of device: String) throws(Problem) {
        if phones.isServing {
            phonesToRemove.append(device)
        } else {
            try phones.onThisThreadIfFound { file throws(Problem) in try file.remove(device) }
        }
    }

    /// Records reports that a phone's operating system has sent. Reports that are newer than the device's last fix and contradict the
    /// recorded visits become events with the cause `reconciled`.
    ///
    /// - Parameter isAnswer: Whether the reports were read by a repair, so that the first one of an added region answers what its state is.
    /// - Returns: The contradictions that are evidence beside the last fix.
    @discardableResult
    func recordReports(
        _ reports: [RegistryReport], of stored: PicketStore.StoredDevice, isAnswer: Bool = false
    ) throws(Problem) -> [ReconciledState] {
        if reports.isEmpty { return [] }
        if stored.device.autoRepair, reports.contains(where: \.asksForRepair) {
            repairHints.failedOrLeftSentinel.insert(stored.device.id)
        }
        return try transaction { () throws(Problem) in
            var journal = try usableJournal(of: stored)
            let added = isAnswer ? journal.regionsOfUnknownState : []
            for report in reports { journal.record(report) }
            if !PlatformProfile(stored.device.platform ?? .ios).supportsStateRequests { journal.recordStates(from: reports) }
            try store.save(journal, of: stored.key)
            let contradictions = try context(of: stored).contradictions(of: reports, added: added)
            return contradictions.isEmpty ? [] : try reconcile(contradictions, stored)
        }
    }

    /// The journal of a device's registrations, for a change of it. One that cannot be read is set aside and named in a problem, and a new
    /// one is begun, so that the device can be repaired.
    func usableJournal(of stored: PicketStore.StoredDevice) throws(Problem) -> RegistryJournal {
        let (journal, flaw) = try store.readJournal(of: stored.key)
        guard let flaw else { return journal }
        try transaction { () throws(Problem) in
            let now = clock.now()
            try store.setAsideJournal(of: stored.key, at: now)
            try record(
                .registryJournalDamaged(device: stored.device.id, reason: flaw),
                source: DeviceProblem.journal.source(of: stored.device.id), at: now)
        }
        return journal
    }
}

extension RegistryReport {
    /// Whether the report means that the registrations may no longer be right.
    fileprivate var asksForRepair: Bool {
        switch kind {
        case .failed: true
        case .exited: region == .sentinel
        case .entered: false
        }
    }
}

extension Device {
    /// Checks that the device's phone is simulated, because a real one cannot be changed from here. Throws `Problem.validationFailed`.
    package func checkSimulated() throws(Problem) {
        guard registry == .simulated else {
            throw .validationFailed(
                field: "device", value: id,
                reason: registry == .none
                    ? .notManaged
                    : Phrase("its registry is not simulated, and a real phone cannot be controlled from here"),
                expected: Phrase("a device created with 'picket device add ID --platform ios' or android"))
        }
    }
}

extension Problem {
    /// Whether the problem means that a phone gave no answer or has not reported yet.
    fileprivate var meansNoAnswer: Bool { if case .registryUnavailable = self { true } else { false } }

    /// Whether the problem concerns the file of the simulated phones.
    func concernsRegistryFile(of directory: DataDirectory) -> Bool {
        switch self {
        case .storeCorrupt(let path, _), .storeFull(let path), .storeBusy(let path, _), .storeFailed(let path, _),
            .storeTooNew(let path, _, _), .migrationFailed(let path, _, _), .fileFailed(let path, _), .diskFailed(let path, _):
            path == directory.registryFilePath
        default: false
        }
    }
}
