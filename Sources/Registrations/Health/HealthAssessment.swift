import Core
import Foundation
import Model
import Reconciler
import Registry
import SimulatedOS
import Store

extension Queries {
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
    func repairPlan(for device: Device) throws(Problem) -> RepairOutcome {
        let (status, assessment) = try health(of: device)
        guard let assessment else { return RepairOutcome(nothingDone: status, at: clock.now()) }
        return RepairOutcome(planned: assessment)
    }

    /// The stored health of a device over time.
    func healthHistory(
        of device: Device
    ) throws(Problem) -> [(at: Instant, isHealthy: Bool?, summary: Phrase)] {
        try store.healthHistory(of: storedDevice(id: device.id).key)
    }
}

extension Problem {
    /// Whether the problem means that a phone gave no answer or has not reported yet.
    fileprivate var meansNoAnswer: Bool { if case .registryUnavailable = self { true } else { false } }
}
