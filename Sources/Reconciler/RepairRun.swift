import Model
import Registry

/// Runs a repair against a registry: carries out its actions and feeds it the resulting events.
public struct RepairRun: Sendable {
    let context: DeviceContext
    let candidates: RegionCandidates
    let registry: any RegionRegistry
    let journal: any RepairJournal
    let clock: any RegistryClock

    /// Creates a run for a device. It does nothing until `assess` or `run` is called.
    public init(
        _ context: DeviceContext, _ candidates: RegionCandidates, registry: any RegionRegistry, journal: any RepairJournal,
        clock: any RegistryClock
    ) {
        self.context = context
        self.candidates = candidates
        self.registry = registry
        self.journal = journal
        self.clock = clock
    }

    /// Assesses the registry as it is now, and changes nothing. Throws `RegistryError` if the registry gives no answer, and the errors of
    /// the journal.
    public func assess(listing: Int = 25) async throws -> Assessment {
        let known = try await journal.load()
        return Assessment(
            of: try await registry.snapshot(), in: context, candidates: candidates, journal: known, listing: listing)
    }

    /// Runs the repair. Failures of the registry are part of the report. After an error, the next run finishes what this one began.
    ///
    /// - Parameters:
    ///   - random: Shortens the waiting times after failures by random parts.
    ///   - progress: Called after each operation; `number` starts with 1. An operation that is done may still fail later; the report is
    ///     final.
    ///   - recordStates: Records states that contradict the recorded visits. It is called before the journal is closed, so that no state is
    ///     lost. After a crash the same states may be passed again.
    /// - Throws: The errors of the journal and of `recordStates`, and `CancellationError`.
    public func run(
        using random: inout some RandomNumberGenerator,
        progress: @Sendable (_ number: Int, RepairOutcome.Step) -> Void = { _, _ in },
        recordStates: ([ReconciledState]) async throws -> Void
    ) async throws -> RepairOutcome {
        var repair = Repair(of: context, candidates: candidates, journal: try await journal.load())
        var count = 0
        var action = repair.handle(.begin, at: await clock.now, using: &random)
        while action != .finish {
            let event: Repair.Event
            switch action {
            case .read:
                do throws(RegistryError) {
                    event = .read(try await registry.snapshot())
                } catch {
                    event = .noAnswer(error)
                }
            case .save(let entries):
                try await journal.save(entries)
                event = .saved
            case .perform(let operation):
                try Task.checkCancellation()
                event = await perform(operation)
            case .wait(let deadline):
                try await clock.sleep(until: deadline)
                event = .woke
            case .recordStates(let states):
                try await recordStates(states)
                event = .statesRecorded
            case .finish: return repair.report
            }
            action = repair.handle(event, at: await clock.now, using: &random)
            switch event {
            case .done, .failed:
                guard let step = repair.lastStep else { break }
                count += 1
                progress(count, step)
            default: break
            }
        }
        return repair.report
    }

    private func perform(_ operation: RegistryOperation) async -> Repair.Event {
        do throws(RegistryError) {
            switch operation.kind {
            case .start(let region):
                try await registry.startMonitoring(region)
                return .done(nil)
            case .stop(let id):
                try await registry.stopMonitoring(id)
                return .done(nil)
            case .requestState(let id): return .done(try await registry.requestState(id))
            }
        } catch {
            return .failed(error)
        }
    }
}
