import Geodesy
import Model
import Reconciler
import Registry
import SimulatedOS

/// An app on a simulated phone without faults. It selects regions by a strategy and is notified of enters and exits.
///
/// Every app requests the state of the regions that it adds, where the platform has such a call, because iOS reports no enter if the device
/// is already inside.
struct AppOnPhone {
    private var os: SimulatedOS
    private let fences: WatchedFences
    private let choice: Choice
    /// The fixes of the last 15 minutes, oldest first.
    private var recent: [Fix] = []
    /// The geofences that the app believes the device to be in.
    private var inside: Set<String> = []
    private var journal = RegistryJournal()
    private var random: SplitMix64
    /// Where regions were last selected.
    private var selectedAt: EarthVector?
    private(set) var transitions: [RegionTransition] = []
    private(set) var calls = RegistryCalls()
    private(set) var risks = RiskHistory()

    enum Choice {
        /// All of these geofences by number, on a phone without a limit.
        case all([Int])
        case by(RegionStrategy)
    }

    /// - Parameter moment: The time of the first fix.
    init(_ fences: WatchedFences, _ choice: Choice, at moment: Instant) {
        self.fences = fences
        self.choice = choice
        var profile = fences.candidates.profile
        if case .all = choice { profile.limit = .max }
        os = SimulatedOS(profile, at: moment)
        random = SplitMix64(state: 0)
    }

    private var candidates: RegionCandidates { fences.candidates }
    private var profile: PlatformProfile { os.profile }
    private var newest: Fix? { recent.last }

    /// Processes the device's next fix.
    mutating func observe(_ fix: Fix) {
        advance { $0 < fix.time }
        let isFirst = newest == nil
        os.observe(fix)
        recent.removeAll { $0.time < fix.time + -900 }
        // The reports are processed after this, so that an app woken by one of them already has this fix.
        recent.append(fix)
        processReports()
        if isFirst || isRefreshDue(EarthVector(fix.coordinate)) {
            selectRegions()
            processReports()
        }
    }

    /// Waits for the reports that arrive after the last fix.
    mutating func finish() { if let newest { advance { $0 <= newest.time + Self.patience } } }

    /// Seconds after the last fix: longer than any platform's delay.
    private static let patience = 600.0

    /// Advances the operating system through each deadline for which `isBefore` is true, and handles the reports.
    private mutating func advance(while isBefore: (Instant) -> Bool) {
        while let due = os.nextDeadline, isBefore(due) {
            os.advance(to: due)
            processReports()
        }
    }

    /// Handles the new reports of the operating system.
    private mutating func processReports() {
        var hasExitedSentinel = false
        repeat {
            hasExitedSentinel = false
            for report in os.takeReports() {
                journal.record(report)
                switch report.kind {
                case .failed: calls.refused += 1
                case .entered, .exited:
                    if report.region == .sentinel {
                        hasExitedSentinel = hasExitedSentinel || report.kind == .exited
                    } else {
                        record(report.kind == .entered ? .inside : .outside, of: report.region, at: report.at)
                    }
                }
            }
            if hasExitedSentinel { selectRegions() }
        } while hasExitedSentinel
    }

    /// Records a state if it differs from what the app believes. The operating system can repeat a report.
    private mutating func record(_ state: RegionState, of region: RegionID, at moment: Instant) {
        guard state != .unknown, let id = region.geofence else { return }
        let isEnter = state == .inside
        guard isEnter ? inside.insert(id).inserted : inside.remove(id) != nil else { return }
        transitions.append(RegionTransition(deviceID: fences.device.id, geofenceID: id, isEnter: isEnter, at: moment))
    }

    // MARK: - Selecting regions

    private func isRefreshDue(_ place: EarthVector) -> Bool {
        guard case .by(let strategy) = choice, let selectedAt else { return false }
        switch strategy.selection?.refresh {
        case .onEveryFix: return true
        case .afterMoving(let meters):
            return EarthVector.longestGeodesic(chord: place.chordSquared(to: selectedAt).squareRoot()) >= meters
        case .never, .onExit, nil: return false
        }
    }

    private mutating func selectRegions() {
        guard let newest else { return }
        let place = EarthVector(newest.coordinate)
        selectedAt = place
        switch choice {
        case .all(let numbers): for number in numbers { start(candidates.entries[number].region) }
        case .by(.picket): repair()
        case .by(let strategy):
            guard let selection = strategy.selection else { return }
            register(selection, around: newest.coordinate, place)
        }
    }

    private mutating func register(_ selection: CommonSelection, around coordinate: Coordinate, _ place: EarthVector) {
        var wanted: [Region] = []
        var slots = profile.limit
        if case .onExit(let radius) = selection.refresh {
            wanted.append(
                Region(
                    id: .sentinel, circle: Circle(center: coordinate, radius: radius), notifyOnEntry: false, notifyOnExit: true))
            slots -= 1
        }
        wanted += selection.select(slots, from: fences, around: place).map { candidates.entries[$0].region }
        let held = os.regions
        let kept = selection.stopsAll ? [] : Set(held.map(\.id)).intersection(wanted.map(\.id)).subtracting([.sentinel])
        for region in held where !kept.contains(region.id) && region.id != .sentinel { stop(region.id) }
        for region in wanted where !kept.contains(region.id) {
            // If the platform cannot replace a registered region, the old sentinel circle is stopped first.
            if !profile.replacesLiveRegions, region.id == .sentinel, held.contains(where: { $0.id == .sentinel }) {
                stop(region.id)
            }
            start(region)
        }
    }

    private mutating func start(_ region: Region) {
        var region = region
        // Android reports an enter at once if the device is inside already.
        if profile.hasInitialTrigger && region.notifyOnEntry { region.initialTrigger = [.enter] }
        calls.start += 1
        do throws(RegistryError) {
            try os.startMonitoring(region)
            guard profile.supportsStateRequests, region.id != .sentinel else { return }
            calls.requestState += 1
            record(try os.requestState(region.id), of: region.id, at: os.now)
        } catch {
            calls.refused += 1
        }
    }

    private mutating func stop(_ id: RegionID) {
        calls.stop += 1
        do throws(RegistryError) {
            try os.stopMonitoring(id)
        } catch {
            calls.refused += 1
        }
    }

    // MARK: - Picket's repair

    private mutating func repair() {
        let begun = os.now
        evaluate(earlierFixes)
        evaluate(recent.suffix(1))
        let context = DeviceContext(device: fences.device, fixes: recent, openVisits: inside)
        var repair = Repair(of: context, candidates: candidates, journal: journal)
        var action = repair.handle(.begin, at: os.now, using: &random)
        while action != .finish {
            let event: Repair.Event
            switch action {
            case .read: event = read()
            case .save(let entries):
                journal = entries
                event = .saved
            case .perform(let operation): event = perform(operation)
            case .wait(let deadline):
                os.advance(to: deadline)
                event = .woke
            case .recordStates(let states):
                for state in states { record(state.state, of: RegionID(geofence: state.geofenceID), at: state.at) }
                event = .statesRecorded
            case .finish: return
            }
            action = repair.handle(event, at: os.now, using: &random)
        }
        // The fix also decides about geofences that lost their slots in this repair.
        evaluate(recent.suffix(1))
        recordRisks(context, since: begun)
    }

    /// The fixes of the last `reportDelay` before the fix of this moment, and the last one before that. The operating system reports a change
    /// only after this delay, so these fixes decide what it reports now, even if the newest fix already contradicts them. Empty if there is no
    /// fix at this moment, or if the fixes do not go back that far.
    private var earlierFixes: ArraySlice<Fix> {
        let earlier = recent.dropLast()
        guard newest?.time == os.now,
            let first = earlier.lastIndex(where: { $0.time <= os.now + -profile.reportDelay.lowerBound })
        else { return [] }
        return earlier[first...]
    }

    /// Decides about the geofences that are not registered, as Picket's engine does with every fix. An app has a fix at each repair, because
    /// the selection needs one.
    ///
    /// - Parameter fixes: A state is recorded only if all of these fixes show it.
    private mutating func evaluate(_ fixes: ArraySlice<Fix>) {
        guard let last = fixes.last else { return }
        let held = Set(os.regions.map(\.id))
        for id in inside.sorted() where !held.contains(RegionID(geofence: id)) {
            guard let entry = candidates[id], fixes.allSatisfy({ shows(.outside, $0, of: entry) }) else { continue }
            record(.outside, of: entry.regionID, at: last.time)
        }
        for entry in fences.containing(EarthVector(last.coordinate)) where !held.contains(entry.regionID) {
            if fixes.allSatisfy({ shows(.inside, $0, of: entry) }) { record(.inside, of: entry.regionID, at: last.time) }
        }
    }

    /// Whether a fix shows a state of a geofence. The operating system treats each fix as exact. Here, a coarse fix shows a state only if it
    /// is farther from the boundary than its accuracy.
    private func shows(_ state: RegionState, _ fix: Fix, of entry: RegionCandidates.RegionCandidate) -> Bool {
        let chord = EarthVector(fix.coordinate).chordSquared(to: EarthVector(entry.circle.center)).squareRoot()
        let radius = profile.usedRadius(entry.circle.radius)
        let doubt = 2 * fix.accuracyOrZero > RegionSelection.margin ? fix.accuracyOrZero : 0
        return state == .inside
            ? EarthVector.longestGeodesic(chord: chord) + doubt <= radius : chord - doubt > radius + profile.exitBuffer
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
            case .start(let region):
                calls.start += 1
                try os.startMonitoring(region)
                return .done(nil)
            case .stop(let id):
                calls.stop += 1
                try os.stopMonitoring(id)
                return .done(nil)
            case .requestState(let id):
                calls.requestState += 1
                return .done(try os.requestState(id))
            }
        } catch {
            calls.refused += 1
            return .failed(error)
        }
    }

    /// Records the geofences that health reports as at risk after a repair.
    ///
    /// - Parameter begun: When the repair began. It used the device's position at this moment.
    private mutating func recordRisks(_ context: DeviceContext, since begun: Instant) {
        guard case .read(let snapshot) = read() else { return }
        func assess(listing: Int) -> RegionSelection {
            Assessment(of: snapshot, in: context, candidates: candidates, journal: journal, listing: listing).selection
        }
        let count = assess(listing: 0).atRiskCount
        let leftOutAtRisk = count == 0 ? [] : assess(listing: count).leftOut.filter(\.isAtRisk)
        risks.record(Set(leftOutAtRisk.map { candidates.entries[$0.number].id }), at: begun)
    }
}
