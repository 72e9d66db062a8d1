import Core
import Model
import OwnTracks
import Reconciler
import Registry
import Service
import SimulatedOS
import Store

/// Repairs registrations: connects the store, the journal and the registries for `RepairRun`. Only one repair of a device runs at a time; a
/// second one waits.
package actor RepairCoordinator {
    private let access: any ServiceAccess
    /// Where candidates are built, so that the writer is not blocked meanwhile.
    private let readers: any QueryAccess
    private let clock: any WallClock
    /// The connection to phones with an OwnTracks app; nil if there is none.
    private let phones: OwnTracksPhones?
    private let publish: @Sendable (ServiceNotice) -> Void
    /// The running repairs by device id.
    private var running: [String: Task<RepairOutcome, any Error>] = [:]

    /// - Parameters:
    /// - readers: Where candidates are built; nil for `access`.
    ///   - clock: The service's clock.
    ///   - publish: Called with each completed operation of a repair, on any thread.
    package init(
        _ access: any ServiceAccess, readers: (any QueryAccess)? = nil, clock: any WallClock = SystemClock(),
        phones: OwnTracksPhones? = nil,
        publish: @escaping @Sendable (ServiceNotice) -> Void = { _ in }
    ) {
        self.access = access
        self.readers = readers ?? access
        self.clock = clock
        self.phones = phones
        self.publish = publish
    }

    /// Repairs a device's registrations, and stores the report.
    ///
    /// - Throws: Among others, the problem of the registry file; it concerns only this device.
    package func repair(_ device: Device) async throws -> RepairOutcome { try await repair(device, isResumed: false) }

    /// Continues the repair of a device whose app did not answer earlier, and has sent its list now.
    package func resume(_ id: String) async throws {
        let device: Device
        do {
            device = try await access.perform { service throws(Problem) in try service.device(id: id) }
        } catch {
            phones?.endRepair(id, isPending: false)
            throw error
        }
        // The device's registry may have been changed in the meantime.
        guard device.registry == .owntracks, device.platform != nil else {
            phones?.endRepair(id, isPending: false)
            return
        }
        _ = try await repair(device, isResumed: true)
    }

    private func repair(_ device: Device, isResumed: Bool) async throws -> RepairOutcome {
        while let other = running[device.id] {
            _ = await other.result
            // The caller of the other repair, which removes it, may not have run yet. Without this, the loop could keep it from running.
            endRepair(other, of: device)
        }
        let task = Task { try await performRepair(of: device, isResumed: isResumed) }
        running[device.id] = task
        defer { endRepair(task, of: device) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func endRepair(_ task: Task<RepairOutcome, any Error>, of device: Device) {
        if running[device.id] == task { running[device.id] = nil }
    }

    /// Reads a device's registry, and stores its health. For a simulated phone this is a call of the app; for a phone whose app
    /// reports, the last report is used.
    ///
    /// - Parameter occasion: Returns the reason for determining the health.
    /// - Returns: The status, the assessment if the registry gave an answer, and the problem of the registry file if there is one.
    func assess(
        _ id: String, _ occasion: @escaping @Sendable (GeofenceHealthStatus) -> Queries.HealthOccasion = { _ in .observation }
    ) async throws(Problem) -> (status: GeofenceHealthStatus, assessment: Assessment?, problem: Problem?) {
        let phone = try await access.perform(withCandidatesOf: id, madeBy: readers) {
            service throws(Problem) -> SimulatedPhone? in
            let stored = try service.storedDevice(id: id)
            guard stored.device.registry == .simulated else { return nil }
            _ = try service.passMissedPositions(of: stored.key)
            return service.simulatedPhone(of: stored.device)
        }
        var answer: Result<RegistryReading, Problem>?
        if let phone {
            do throws(Problem) {
                answer = .success(try await phone.readingByAppCall())
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

    /// The data with which a repair starts.
    private struct RepairInputs: Sendable {
        var stored: PicketStore.StoredDevice
        var context: DeviceContext
        var candidates: RegionCandidates
    }

    private func performRepair(of device: Device, isResumed: Bool) async throws -> RepairOutcome {
        if device.registry == .owntracks, let platform = device.platform {
            return try await run(ownTracks: device, platform, isResumed: isResumed)
        }
        guard device.registry == .simulated, let platform = device.platform else {
            return try await access.perform { service throws(Problem) in try service.repairPlan(for: device) }
        }
        let (beginning, phone) = try await access.perform(withCandidatesOf: device.id, madeBy: readers) {
            service throws(Problem) in
            let stored = try service.storedDevice(id: device.id)
            _ = try service.passMissedPositions(of: stored.key)
            let beginning = RepairInputs(
                stored: stored, context: try service.context(of: stored), candidates: try service.candidates(for: platform))
            return (beginning, service.simulatedPhone(of: device))
        }
        var next = beginning
        let before = try await recordWaitingReports(of: phone, beginning.stored)
        next.candidates = beginning.candidates.with(phone.profile)
        for contradiction in before { next.context.apply(contradiction) }
        var report = try await run(next, phone)
        if let failure = phone.failure { throw failure }
        report.reconciled = before + report.reconciled
        // Where states cannot be requested, the phone reports without a request where it is relative to an added region.
        let after = try await recordWaitingReports(of: phone, beginning.stored)
        if !after.isEmpty {
            report.reconciled += after
            // The open visits have changed, and with them which regions have to be registered.
            next.context = try await access.perform { service throws(Problem) in try service.context(of: beginning.stored) }
            report = report.followed(by: try await run(next, phone))
            if let failure = phone.failure { throw failure }
        }
        return try await record(report, beginning)
    }

    /// Records the reports that a simulated phone has sent, and removes them from the phone.
    ///
    /// - Returns: Those that contradicted the recorded visits.
    private func recordWaitingReports(
        of phone: SimulatedPhone, _ stored: PicketStore.StoredDevice
    ) async throws(Problem) -> [ReconciledState] {
        let reports = try await phone.waitingReports()
        if reports.isEmpty { return [] }
        let contradictions = try await access.perform { service throws(Problem) in
            try service.recordReports(reports, of: stored, isAnswer: true)
        }
        try await phone.removeReports(reports)
        return contradictions
    }

    private func run(
        _ beginning: RepairInputs, _ registry: some RegionRegistry & RegistryClock
    ) async throws -> RepairOutcome {
        let (access, stored) = (access, beginning.stored)
        let run = RepairRun(
            beginning.context, beginning.candidates, registry: registry,
            journal: DeviceJournal(access: access, device: stored), clock: registry)
        var random = SystemRandomNumberGenerator()
        let publish = publish
        return try await run.run(
            using: &random, progress: { number, step in publish(ServiceNotice(step, number: number, of: stored.device)) }
        ) { states in
            _ = try await access.perform { service throws(Problem) in
                try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                    try service.reconcile(states, stored, in: transaction)
                }
            }
        }
    }

    private func record(_ report: RepairOutcome, _ beginning: RepairInputs) async throws(Problem) -> RepairOutcome {
        let key = beginning.stored.key
        try await access.perform { service throws(Problem) in try service.record(report, of: key) }
        return report
    }

    // MARK: - OwnTracks

    private func run(ownTracks device: Device, _ platform: Device.Platform, isResumed: Bool) async throws -> RepairOutcome {
        guard let phones else {
            throw Problem.registryUnavailable(
                details: Phrase("only a running service reaches the phone's OwnTracks app; start one with 'picket serve'"))
        }
        if !isResumed { phones.beginRepair(device.id) }
        var isPending = false
        defer { phones.endRepair(device.id, isPending: isPending) }
        let (beginning, known) = try await access.perform(withCandidatesOf: device.id, madeBy: readers) {
            service throws(Problem) in
            let stored = try service.storedDevice(id: device.id)
            let known = try service.waypointReport(of: stored, platform)
            let context = if let known { known.context } else { try service.context(of: stored) }
            let beginning = RepairInputs(
                stored: stored, context: context, candidates: try service.ownTracksCandidates(platform))
            return (beginning, known?.report)
        }
        let clock = clock
        let phone = OwnTracksPhone(
            beginning.stored, platform: platform, names: beginning.candidates, access: access, phones: phones)
        // A phone that has just sent its list is not asked for it again.
        let registry = OwnTracksRegistry(platform, phone: phone, known: isResumed ? known : nil) { clock.now() }
        let report = try await run(beginning, registry)
        isPending = await registry.isSilent
        return try await record(report, beginning)
    }

    /// Whether a repair of a device has to wait until its OwnTracks app sends something.
    func isAwaitingApp(of device: String) -> Bool { phones?.isAwaitingAnswer(device) ?? false }

    /// Requests the lists of OwnTracks apps that have not sent one for an hour. If a person removes a region in the app, only the list
    /// shows it.
    package func requestOverdueLists() async throws(Problem) {
        guard let phones else { return }
        let questions = try await access.perform { service throws(Problem) in try service.overdueLists() }
        for question in questions where running[question.device] == nil {
            if question.isUnfinished { phones.resumeRepair(of: question.device) }
            await phones.sendCommands(question.device, question.commands)
        }
    }
}

/// The journal of one device in the store.
private struct DeviceJournal: RepairJournal {
    let access: any ServiceAccess
    let device: PicketStore.StoredDevice

    func load() async throws -> RegistryJournal {
        try await access.perform { [device] service throws(Problem) in
            try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try service.usableJournal(of: device, in: transaction)
            }
        }
    }

    func save(_ journal: RegistryJournal) async throws {
        try await access.perform { [device] service throws(Problem) in
            try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try service.store.save(journal, of: device.key, in: transaction)
            }
        }
    }
}

extension ServiceNotice {
    /// `{"deviceId","number","operation","identifier","name","reason","outcome","error"}`. The first operation of a repair has the number
    /// 1.
    fileprivate init(_ step: RepairOutcome.Step, number: Int, of device: Device) {
        self.init(.repairStep, deviceId: device.id) { language in
            let profile = PlatformProfile(device.platform ?? .ios)
            let members = RepairOutcome.Step.output.encode((step, profile), in: AnswerLocale(language)).members ?? []
            return .object([.init("deviceId", .string(device.id)), .init("number", JSONValue(number))] + members)
        }
    }
}
