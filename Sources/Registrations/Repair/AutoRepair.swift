import Core
import Geodesy
import Model
import Reconciler

/// Repairs the registrations of devices with `autoRepair`: it assesses the devices that are due, records their health, and repairs what
/// requires no person.
package actor AutoRepair {
    /// What automatic repair has done, for the log and the metrics.
    package enum Activity: Sendable {
        /// A repair was made. Some findings may remain.
        case repaired(RepairOutcome)
        /// A device could not be assessed or repaired, or gave no answer. It is tried again later.
        case failed(deviceId: String, Problem)
        /// The list of managed devices was read.
        case devicesRead
        /// The store could not be read or written.
        case storeFailed(Problem)
    }

    private let access: any ServiceAccess
    private let coordinator: RepairCoordinator
    private let clock: any WallClock
    private let jitter: @Sendable () -> Double
    private var schedule: RepairSchedule
    private var fenceRevision: Int64?

    /// - Parameters:
    /// - repairCoordinator: The coordinator that also makes the repairs that people request.
    /// - clock: The service's clock.
    /// - jitter: Returns a random number from 0 to 1.
    package init(
        _ access: any ServiceAccess, repairCoordinator: RepairCoordinator, pace: RepairSchedule.Limits = .init(),
        clock: any WallClock, jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.access = access
        self.coordinator = repairCoordinator
        self.clock = clock
        self.jitter = jitter
        schedule = RepairSchedule(pace)
    }

    /// Starts the work that is due, pauses, and repeats this until the task is canceled. A slow device does not delay the others.
    ///
    /// - Parameters:
    /// - pause: Waits a few seconds. An error that it throws ends the work.
    ///   - report: Reports what was done. Called on any thread.
    package func run(pause: @Sendable () async throws -> Void, report: @escaping @Sendable (Activity) -> Void) async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                for id in await startDue(report) { group.addTask { await self.process(id, report) } }
                do { try await pause() } catch { break }
            }
            group.cancelAll()
        }
    }

    /// Assesses and repairs the devices that are due now, within the limit of concurrent work, and waits for them.
    func runOnce(report: @escaping @Sendable (Activity) -> Void) async {
        let due = await startDue(report)
        await withDiscardingTaskGroup { group in
            for id in due { group.addTask { await self.process(id, report) } }
        }
    }

    /// Reads what has happened since the last call, and returns the ids of the devices to assess now.
    private func startDue(_ report: @Sendable (Activity) -> Void) async -> [String] {
        do {
            let scene = try await access.perform { service throws(Problem) in try service.takeRepairInputs() }
            let now = clock.now()
            schedule.setDevices(scene.devices, at: now)
            if let fenceRevision, fenceRevision != scene.fenceRevision { schedule.geofencesChanged(at: now) }
            fenceRevision = scene.fenceRevision
            for (id, place) in scene.hints.moved { schedule.deviceMoved(id, to: place, at: now) }
            for id in scene.hints.failedOrLeftSentinel { schedule.registrationFailed(id, at: now) }
            report(.devicesRead)
            return schedule.startDue(at: now)
        } catch {
            report(.storeFailed(error))
            return []
        }
    }

    /// Assesses and repairs one device, and records the outcome in the schedule.
    private func process(_ id: String, _ report: @Sendable (Activity) -> Void) async {
        var outcome = RepairSchedule.Outcome.failed
        do {
            outcome = try await assessAndRepair(id, report)
        } catch Problem.notFound(kind: .device, id: id, similar: _) {
            // The device was removed in the meantime.
            outcome = .done
        } catch let problem as Problem {
            await recordFailure(id, problem, report)
        } catch is CancellationError {
            // The next run continues an unfinished repair from its journal.
        } catch {
            await recordFailure(id, .unknown(details: .verbatim(String(describing: error))), report)
        }
        schedule.finished(id, outcome, at: clock.now(), jitter: jitter())
    }

    /// Reports a failure, and records it in the problem journal.
    private func recordFailure(_ id: String, _ problem: Problem, _ report: @Sendable (Activity) -> Void) async {
        report(.failed(deviceId: id, problem))
        do {
            try await access.perform { service throws(Problem) in
                try service.record(problem, source: Queries.DeviceProblem.registry.source(of: id))
            }
        } catch {
            report(.storeFailed(error))
        }
    }

    /// Assesses a device, and repairs it if a repair can help.
    private func assessAndRepair(_ id: String, _ report: @Sendable (Activity) -> Void) async throws -> RepairSchedule.Outcome {
        let (status, _, problem) = try await coordinator.assess(id) {
            $0.needsRepair || $0.isHealthy == nil ? .observationBeforeRepair : .observation
        }
        guard status.isManaged else { return .done }
        if status.isHealthy == nil {
            await recordFailure(id, problem ?? .registryUnavailable(details: .systemSilent), report)
            // A phone that reports without a request is assessed again at its next report, so no retry is scheduled.
            return status.device.registry == .simulated ? .failed : .done
        }
        guard status.needsRepair else { return .done }
        guard await !coordinator.isAwaitingApp(of: id) else { return .failed }
        let outcome = try await coordinator.repair(status.device)
        report(.repaired(outcome))
        return outcome.after.isHealthy == nil || outcome.after.needsRepair ? .failed : .done
    }
}

extension GeofenceHealthStatus {
    /// Whether something is wrong that a repair can fix. Other findings require a person.
    fileprivate var needsRepair: Bool { unhealthyFindings.contains { $0.recoveryAction == .fixRegistration } }
}

extension Queries {
    /// What automatic repair needs to know to decide which devices are due.
    struct RepairInputs: Sendable {
        /// The ids of the devices that are repaired automatically.
        var devices: [String]
        var fenceRevision: Int64
        var hints: RepairHints
    }
}

extension ServiceWriter {
    /// Returns the current devices and hints, and resets the hints.
    func takeRepairInputs() throws(Problem) -> RepairInputs {
        let scene = RepairInputs(
            devices: try store.autoRepairedDevices(), fenceRevision: try store.fenceRevision(), hints: repairHints)
        repairHints = RepairHints()
        return scene
    }
}
