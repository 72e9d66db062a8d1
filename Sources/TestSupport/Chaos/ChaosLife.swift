import Geodesy
import Model
import Reconciler
import Registry
import SimulatedOS

/// The random life of a simulated phone: its device moves among geofences, faults happen, a person changes permissions and edits geofences,
/// and the regions are repaired as a service does it.
///
/// Everything follows from the seed. The life is a simulation of discrete events: it advances from one fix, deadline or event to the next.
/// At its end faults stop, the person grants what is missing, and one repair follows.
package struct ChaosLife {
    package struct Configuration: Sendable {
        package var profile: PlatformProfile
        package var device: Device
        package var geofences: [Geofence]
        package var seed: UInt64
        package var hours: Double
        /// The average time between two events, in seconds.
        package var eventInterval = 5400.0

        package init(profile: PlatformProfile, device: Device, seed: UInt64, hours: Double) {
            self.profile = profile
            self.device = device
            geofences = RandomGeofences.make(seed: seed)
            self.seed = seed
            self.hours = hours
        }
    }

    /// When every life begins.
    package static let start = Instant(milliseconds: 1_777_852_800_000)
    /// Seconds between two repairs if nothing happens, as in a service.
    static let repairInterval = 900.0
    /// Seconds after the last event until the last repair: longer than an operating system hides regions, and long enough for evidence that
    /// it does not watch a region.
    private static let settling = 600.0
    /// Seconds after the last repair: longer than any report takes.
    private static let grace = 900.0

    let configuration: Configuration
    let end: Instant
    var phone: ReconciledPhone
    var reference: ReferencePhone
    var random: SplitMix64
    var impairments = ImpairmentHistory()
    var ledger = TransitionLedger()
    /// The settings that the person has changed, and when they are changed back.
    var restorations: [(at: Instant, event: ChaosEvent, cause: ChaosEvent)] = []
    var editCount = 0
    /// The action before which the next repair is killed; nil for none.
    var killAt: Int?
    /// The injected faults that were not used up yet.
    var waitingFaults: [Faults.Fault] = []
    private var path: ArraySlice<Fix>
    private var nextEventAt: Instant
    private var nextRepairAt: Instant
    var running: ReconciledPhone.RunningRepair?
    var wakesAt: Instant?
    var isRepairRequested = false
    /// Whether the newest fix is too old for a valid selection.
    var needsFix = false
    /// What the operating system reported while a repair ran.
    var heard: [RegistryReport] = []
    /// The latest fault that made a call fail.
    var latestFault: ChaosEvent?
    var report: ChaosReport

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        let seed = configuration.seed
        var random = SplitMix64(state: seed)
        end = Self.start + configuration.hours * 3600
        var os = SimulatedOS(configuration.profile, seed: seed, at: Self.start)
        let patiences: [Double] = [0, 30, 120]
        let patience = patiences.randomElement(using: &random) ?? 0
        os.setPatience(patience)
        phone = ReconciledPhone(of: configuration.device, fences: configuration.geofences, os: os, seed: seed &+ 1)
        reference = ReferencePhone(configuration.profile, patience: patience, at: Self.start)
        self.random = random
        let fences = phone.candidates.fences(for: configuration.device)
        path =
            RandomPath(
                among: Self.targets(fences, phone.candidates, &self.random), from: Self.start, to: end, seed: seed &+ 2
            ).fixes[...]
        nextEventAt = Self.start + 600
        nextRepairAt = Self.start
        report = ChaosReport(configuration)
        report.fixCount = path.count
        // Only geofences that the device gets to can be entered.
        var met: Set<Int> = []
        for fix in path { for found in fences.containing(EarthVector(fix.coordinate)) { met.insert(found.number) } }
        for number in met.sorted() { reference.watch(phone.candidates.entries[number]) }
    }

    /// The circles that the device moves among: those around a random one, because geofences can lie anywhere on Earth.
    private static func targets(
        _ fences: DeviceFences, _ candidates: RegionCandidates, _ random: inout SplitMix64
    ) -> [Circle] {
        let watchable = fences.numbers.map { candidates.entries[$0] }.filter(\.watchability.isWatchable)
        guard let first = watchable.randomElement(using: &random) else {
            return [Circle(center: Coordinate(latitude: 52.52, longitude: 13.405), radius: 1000)]
        }
        return fences.nearest(200, to: EarthVector(first.circle.center)).map { candidates.entries[$0.number].circle }
    }

    // MARK: - Running

    /// Simulates the whole life.
    ///
    /// - Parameter record: Called with each entry of the diary, in order of time.
    package mutating func run(record: (ChaosEntry) -> Void) -> ChaosReport {
        while let moment = nextMoment(), moment <= end {
            advance(to: moment)
            handleDue(moment, record)
        }
        finish(record)
        return report
    }

    /// The time of the next thing that happens.
    private func nextMoment() -> Instant? {
        let moments = [
            path.first?.time, nextEventAt, nextRepairAt, wakesAt, restorations.map(\.at).min(), phone.os.nextDeadline,
            reference.os.nextDeadline,
        ]
        return moments.compactMap { $0 }.min()
    }

    private mutating func advance(to moment: Instant) {
        reference.advance(to: moment)
        phone.os.advance(to: moment)
    }

    private mutating func handleDue(_ moment: Instant, _ record: (ChaosEntry) -> Void) {
        // Everything that was due before the fix is handled without it.
        processReports()
        repairIfRequested(record)
        if let fix = path.first, fix.time <= moment {
            path.removeFirst()
            reference.observe(fix)
            phone.observe(fix)
            forgetOldFixes()
            isRepairRequested = isRepairRequested || needsFix
            needsFix = false
        }
        processReports()
        for due in restorations.filter({ $0.at <= moment }) { apply(due.event, at: moment, record) }
        if nextEventAt <= moment {
            nextEventAt = moment + configuration.eventInterval * Double.random(in: 0.1...1.9, using: &random)
            if let event = randomEvent() { apply(event, at: moment, record) }
        }
        if let wakesAt, wakesAt <= moment { proceed(record) }
        if nextRepairAt <= moment {
            nextRepairAt = moment + Self.repairInterval
            isRepairRequested = true
        }
        repairIfRequested(record)
    }

    private mutating func apply(_ event: ChaosEvent, at moment: Instant, _ record: (ChaosEntry) -> Void) {
        perform(event)
        processReports()
        if event.isEdit {
            report.editCount += 1
            isRepairRequested = true
        } else {
            report.eventCounts[event.name, default: 0] += 1
        }
        emitEntry(.event(event), health: phone.health(), record)
    }

    /// The app needs the fixes of the last 15 minutes, and the newest one.
    private mutating func forgetOldFixes() {
        guard phone.fixes.count > 40, let newest = phone.fixes.last else { return }
        phone.fixes.removeAll { newest.time - $0.time > 900 }
    }

    // MARK: - Reports

    /// Processes what both phones have reported.
    mutating func processReports() {
        recordUsedFaults()
        for transition in reference.takeTransitions() {
            report.transitionCount += 1
            ledger.record(transition, believed: phone.openVisits.contains(transition.geofence))
        }
        for reported in phone.os.takeReports() {
            if running == nil { phone.journal.record(reported) } else { heard.append(reported) }
            switch reported.kind {
            case .failed: nextRepairAt = min(nextRepairAt, phone.os.now + 30)
            case .entered: learn(reported.region, isInside: true)
            case .exited:
                learn(reported.region, isInside: false)
                isRepairRequested = isRepairRequested || reported.region == .sentinel
            }
        }
    }

    /// The app learns whether the device is in a geofence.
    private mutating func learn(_ region: RegionID, isInside: Bool) {
        guard let geofence = region.geofence, phone.openVisits.contains(geofence) != isInside else { return }
        phone.setVisit(geofence, isInside)
        ledger.learn(geofence, isInside: isInside)
    }

    /// Decides by the newest fix, as Picket's engine does with every position that it gets.
    mutating func evaluateNewestFix() {
        guard let fix = phone.fixes.last else { return }
        let place = EarthVector(fix.coordinate)
        for geofence in phone.openVisits.sorted() {
            guard let entry = phone.candidates[geofence], entry.isActive else {
                learn(RegionID(geofence: geofence), isInside: false)
                continue
            }
            let reach = configuration.profile.usedRadius(entry.circle.radius) + configuration.profile.exitBuffer
            if place.chordSquared(to: EarthVector(entry.circle.center)).squareRoot() > reach + fix.accuracyOrZero {
                learn(entry.regionID, isInside: false)
            }
        }
        for found in phone.candidates.fences(for: phone.device).containing(place) where found.distance >= fix.accuracyOrZero {
            learn(phone.candidates.entries[found.number].regionID, isInside: true)
        }
    }

    // MARK: - The diary

    /// Emits what happened, with the health after it.
    mutating func emitEntry(_ what: ChaosEntry.Content, health: GeofenceHealthStatus, _ record: (ChaosEntry) -> Void) {
        let entry = ChaosEntry(at: phone.os.now, content: what, health: health.summary, isHealthy: health.isHealthy == true)
        record(entry)
    }

    // MARK: - The end

    /// Faults stop, the person grants what is missing, and one repair follows.
    private mutating func finish(_ record: (ChaosEntry) -> Void) {
        phone.os.faults = Faults()
        waitingFaults = []
        killAt = nil
        while let next = restorations.first { apply(next.event, at: end, record) }
        wait(until: end + Self.settling, record)
        isRepairRequested = true
        repairIfRequested(record)
        while let wakesAt {
            advance(to: wakesAt)
            processReports()
            proceed(record)
        }
        let health = phone.health()
        report.endHealth = health.summary
        report.endsHealthy = health.isHealthy == true
        wait(until: phone.os.now + Self.grace, record)
        ledger.finish()
        report.reportedCount = ledger.reported
        report.missed = ledger.missed.map(explained)
    }

    /// A transition that was not reported, with what impaired the phone from when the boundary was crossed to when the transition was due.
    private func explained(_ transition: ReferencePhone.ExpectedTransition) -> MissedTransition {
        // A crossing is noticed with the next fix, and reported after the patience.
        let lookback = 4 * RandomPath.intervals.moving + reference.os.settings.patience
        // Calls that fail make a repair last seconds.
        let period = (transition.at + -lookback)...(transition.at + 1)
        return MissedTransition(
            geofence: transition.geofence, isEnter: transition.isEnter, at: transition.at,
            explanation: impairments.explanation(of: transition.geofence, in: period))
    }

    /// Advances the clock while nothing new happens.
    private mutating func wait(until moment: Instant, _ record: (ChaosEntry) -> Void) {
        while let due = [wakesAt, phone.os.nextDeadline, reference.os.nextDeadline].compactMap({ $0 }).min(), due <= moment {
            advance(to: due)
            processReports()
            if let wakesAt, wakesAt <= due { proceed(record) }
            repairIfRequested(record)
        }
        advance(to: moment)
        processReports()
    }
}
