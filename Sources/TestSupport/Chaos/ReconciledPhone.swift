import Model
import Reconciler
import Registry
import SimulatedOS

/// A simulated phone whose regions are reconciled: the device with its operating system, geofences, journal and open visits, as one value.
///
/// It has no clock. A repair that has to wait returns control, so that other things can happen meanwhile.
package struct ReconciledPhone: Sendable {
    package var os: SimulatedOS
    package var journal = RegistryJournal()
    package var fences: [Geofence] {
        didSet { candidates = RegionCandidates(fences, profile: os.profile) }
    }
    package private(set) var candidates: RegionCandidates
    package var device: Device
    /// The fixes that the app knows, oldest first.
    package var fixes: [Fix] = []
    /// The ids of the geofences with an enter but no exit yet.
    package var openVisits: Set<String> = []
    package var random: SplitMix64
    /// The geofences for which a repair passed on a state that was known already: an enter without an exit in between, or the
    /// reverse.
    package private(set) var repeated: [String] = []
    /// How many times a repair saved the journal.
    package private(set) var saves = 0
    /// The visits that repairs have begun and ended since the last call of `takeVisitChanges()`, in order.
    private var visitChanges: [VisitChange] = []

    /// A visit that began or ended.
    package struct VisitChange: Hashable, Sendable {
        package var geofence: String
        package var isInside: Bool
    }

    package init(of device: Device, fences: [Geofence], os: SimulatedOS, seed: UInt64) {
        self.device = device
        self.fences = fences
        self.os = os
        candidates = RegionCandidates(fences, profile: os.profile)
        random = SplitMix64(state: seed)
    }

    package var context: DeviceContext { DeviceContext(device: device, fixes: fixes, openVisits: openVisits) }

    /// Gives a fix to the operating system and to the app.
    package mutating func observe(_ fix: Fix) {
        os.observe(fix)
        fixes.append(fix)
    }

    /// Adds the reports of the operating system to the journal, and returns them.
    @discardableResult
    package mutating func takeReports() -> [RegistryReport] {
        let reports = os.takeReports()
        for report in reports { journal.record(report) }
        return reports
    }

    /// Assesses the registry as it is now, by an answer that no fault suppresses.
    ///
    /// - Parameter listing: The maximum number of left-out geofences to list.
    package func assess(listing: Int = 25) -> Assessment {
        Assessment(of: os.currentSnapshot, in: context, candidates: candidates, journal: journal, listing: listing)
    }

    package func health() -> GeofenceHealthStatus { GeofenceHealthStatus(assess()) }

    /// Records whether the device is inside a geofence, as an event would.
    package mutating func setVisit(_ geofence: String, _ isInside: Bool) {
        if isInside { openVisits.insert(geofence) } else { openVisits.remove(geofence) }
    }

    // MARK: - Repair

    /// A repair that has begun.
    package struct RunningRepair: Sendable {
        fileprivate var repair: Repair
        fileprivate var action: Repair.Action
        fileprivate var actions = 0
    }

    /// The state of a repair when it returns control.
    package enum RepairProgress: Sendable {
        /// The repair continues with `proceed` at this time.
        case waiting(until: Instant)
        case finished(RepairOutcome)
        /// The app was killed.
        case killed
    }

    package mutating func beginRepair() -> RunningRepair {
        var repair = Repair(of: context, candidates: candidates, journal: journal)
        let action = repair.handle(.begin, at: os.now, using: &random)
        return RunningRepair(repair: repair, action: action)
    }

    /// Continues a repair until it has to wait or is over.
    ///
    /// - Parameters:
    ///   - kill: The number of the action before which the app is killed; nil to complete the repair.
    ///   - watch: Called before each call of the operating system.
    package mutating func proceed(
        _ running: inout RunningRepair, killedAt kill: Int? = nil, watch: (RegistryOperation, SimulatedOS) -> Void
    ) -> RepairProgress {
        while running.action != .finish {
            if running.actions == kill { return .killed }
            let event: Repair.Event
            switch running.action {
            case .read: event = read()
            case .save(let saved):
                journal = saved
                saves += 1
                event = .saved
            case .perform(let operation):
                watch(operation, os)
                event = perform(operation)
            case .wait(let deadline):
                if os.now < deadline { return .waiting(until: deadline) }
                event = .woke
            case .recordStates(let states):
                for state in states { record(state) }
                event = .statesRecorded
            case .finish: return .finished(running.repair.report)
            }
            running.actions += 1
            running.action = running.repair.handle(event, at: os.now, using: &random)
        }
        return .finished(running.repair.report)
    }

    /// Repairs the registry while nothing else happens. Returns the report, or nil if the app was killed.
    @discardableResult
    package mutating func repair(
        killedAt kill: Int? = nil, watch: (RegistryOperation, SimulatedOS) -> Void = { _, _ in }
    ) -> RepairOutcome? {
        var running = beginRepair()
        while true {
            switch proceed(&running, killedAt: kill, watch: watch) {
            case .waiting(let deadline): os.advance(to: deadline)
            case .finished(let report): return report
            case .killed: return nil
            }
        }
    }

    package mutating func takeVisitChanges() -> [VisitChange] {
        defer { visitChanges.removeAll() }
        return visitChanges
    }

    private mutating func record(_ state: ReconciledState) {
        let isInside = state.state == .inside
        if openVisits.contains(state.geofenceID) == isInside { return repeated.append(state.geofenceID) }
        setVisit(state.geofenceID, isInside)
        visitChanges.append(VisitChange(geofence: state.geofenceID, isInside: isInside))
    }

    private mutating func read() -> Repair.Event {
        do throws(RegistryError) {
            return .read(try os.snapshot())
        } catch {
            return .noAnswer(error)
        }
    }

    private mutating func perform(_ operation: RegistryOperation) -> Repair.Event {
        do throws(RegistryError) {
            switch operation.kind {
            case .start(let region): try os.startMonitoring(region)
            case .stop(let id): try os.stopMonitoring(id)
            case .requestState(let id): return .done(try os.requestState(id))
            }
            return .done(nil)
        } catch {
            return .failed(error)
        }
    }
}
