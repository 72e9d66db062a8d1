import Geodesy
import Model
import Reconciler

/// Keeps the registrations of devices with `autoRepair` right by itself: looks at those that are due, records how healthy they
/// are, and repairs what can be repaired without a person.
public actor AutoRepair {
    /// What it has done, for the log and the counters.
    public enum News: Sendable {
        /// A repair was made; it may have left something.
        case repaired(RepairReport)
        /// A device could not be looked at or repaired, or gave no answer. It is tried again later.
        case failed(deviceId: String, Problem)
        /// It is known who has to be looked at.
        case looked
        /// Nobody could be looked at: the store gave no answer.
        case unable(Problem)
    }

    private let access: any ServiceAccess
    private let desk: RepairCoordinator
    private let clock: any WallClock
    private let jitter: @Sendable () -> Double
    private var schedule: RepairSchedule
    private var fenceRevision: Int64?

    /// - Parameters:
    ///   - desk: The one that also does the repairs that a person asks for.
    ///   - clock: The service's own.
    ///   - jitter: A random number, 0 … 1.
    public init(
        _ access: any ServiceAccess, desk: RepairCoordinator, pace: RepairSchedule.Pace = .init(),
        clock: any WallClock = SystemClock(), jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.access = access
        self.desk = desk
        self.clock = clock
        self.jitter = jitter
        schedule = RepairSchedule(pace)
    }

    /// Works until its task is cancelled: looks for what is due, pauses, and again. A device that takes long keeps nobody from the
    /// others.
    ///
    /// - Parameters:
    ///   - pause: Waits for some seconds; what it throws ends the work.
    ///   - tell: Is called from any thread.
    public func run(pause: @Sendable () async throws -> Void, tell: @escaping @Sendable (News) -> Void) async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                for id in await begin(tell) { group.addTask { await self.attend(id, tell) } }
                do { try await pause() } catch { break }
            }
            group.cancelAll()
        }
    }

    /// Looks at the devices that are due now, as many as may be at once, and waits for them.
    public func round(tell: @escaping @Sendable (News) -> Void) async {
        let due = await begin(tell)
        await withDiscardingTaskGroup { group in
            for id in due { group.addTask { await self.attend(id, tell) } }
        }
    }

    /// Takes in what has happened, and begins with what is due.
    private func begin(_ tell: @Sendable (News) -> Void) async -> [String] {
        do {
            let scene = try await access.perform { service throws(Problem) in try service.takeRepairScene() }
            let now = clock.now()
            schedule.watch(scene.devices, at: now)
            if let fenceRevision, fenceRevision != scene.fenceRevision { schedule.geofencesChanged(at: now) }
            fenceRevision = scene.fenceRevision
            for (id, place) in scene.hints.moved { schedule.moved(id, to: place, at: now) }
            for id in scene.hints.troubled { schedule.troubled(id, at: now) }
            tell(.looked)
            return schedule.begin(at: now)
        } catch {
            tell(.unable(error))
            return []
        }
    }

    private func attend(_ id: String, _ tell: @Sendable (News) -> Void) async {
        var outcome = RepairSchedule.Outcome.failed
        do {
            outcome = try await look(id, tell)
        } catch Problem.notFound(kind: "device", id: id, similar: _) {
            // It was removed meanwhile.
            outcome = .settled
        } catch let problem as Problem {
            await fail(id, problem, tell)
        } catch is CancellationError {
            // It goes on where it was when it is begun again.
        } catch {
            await fail(id, .unknown(details: "\(error)"), tell)
        }
        schedule.finished(id, outcome, at: clock.now(), jitter: jitter())
    }

    /// Tells of a failure, and keeps it in the journal of problems.
    private func fail(_ id: String, _ problem: Problem, _ tell: @Sendable (News) -> Void) async {
        tell(.failed(deviceId: id, problem))
        do {
            try await access.perform { service throws(Problem) in
                try service.record(problem, source: Queries.registrySource(device: id))
            }
        } catch {
            tell(.unable(error))
        }
    }

    private func look(_ id: String, _ tell: @Sendable (News) -> Void) async throws -> RepairSchedule.Outcome {
        let (status, _, problem) = try await desk.look(at: id) {
            $0.needsRepair || $0.isHealthy == nil ? .lookBeforeRepair : .look
        }
        guard status.isManaged else { return .settled }
        if status.isHealthy == nil {
            await fail(id, problem ?? .registryUnavailable(details: "the device's system gave no answer"), tell)
            // A phone that reports by itself is looked at when it does so next, and not again and again until then.
            return status.device.registry == .simulated ? .failed : .settled
        }
        guard status.needsRepair else { return .settled }
        guard await !desk.isWaiting(for: id) else { return .failed }
        let report = try await desk.repair(status.device)
        tell(.repaired(report))
        return report.after.isHealthy == nil || report.after.needsRepair ? .failed : .settled
    }
}

extension GeofenceHealthStatus {
    /// Whether something is wrong that a repair can put right; other things wait for a person.
    fileprivate var needsRepair: Bool { unhealthyFindings.contains { $0.recoveryAction == .fixRegistration } }
}

/// What has happened to devices with `autoRepair` since it was last asked.
struct RepairHints: Sendable {
    /// Where the newest fix of each device lies.
    var moved: [String: Coordinate] = [:]
    /// Who told that a registration failed, or has left the sentinel.
    var troubled: Set<String> = []
}

extension Queries {
    /// What auto-repair goes by.
    struct RepairScene: Sendable {
        /// The ids of the devices that are repaired automatically.
        var devices: [String]
        var fenceRevision: Int64
        var hints: RepairHints
    }
}

extension ServiceWriter {
    func takeRepairScene() throws(Problem) -> RepairScene {
        let scene = RepairScene(
            devices: try store.autoRepairedDevices(), fenceRevision: try store.fenceRevision(), hints: repairHints)
        repairHints = RepairHints()
        return scene
    }
}
