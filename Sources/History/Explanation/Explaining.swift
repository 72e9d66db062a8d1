import Core
import Model
import Monitor
import Places
import Presence
import Store
import Timeline

extension Queries {
    /// Explains from the stored fixes what happened between a device and a geofence around a moment, and why.
    ///
    /// - Throws: `Problem.notFound` for an unknown device, and for a geofence that never existed.
    /// - Complexity: O(n) for n stored fixes of the device up to that moment, which are read one by one.
    func explain(_ question: Explanation.Question) throws(Problem) -> Explanation {
        try store.snapshot { () throws(Problem) in
            let stored = try storedDevice(id: question.deviceId)
            try checkVisible(geofence: question.geofenceId)
            var versions = try store.fenceVersions(id: question.geofenceId)
            if let visibility = store.visibility {
                for index in versions.indices { versions[index].geofence = visibility.masked(versions[index].geofence) }
            }
            guard let last = versions.last else { throw try noGeofence(question.geofenceId) }
            let newest = try store.state(of: stored, policy: policy).newestFixTime
            let at = question.at ?? newest ?? clock.now()

            let (found, fixes) = try steps(stored, versions, at, around: question.around)
            let moment = found.last { $0.at <= at }
            let fence = moment?.version.map { versions[$0] } ?? last
            let device = moment?.device ?? stored.device

            var measures = StepMeasurer(device: device, versions: versions, policy: policy)
            let steps = found.map { measures.explain($0) }
            let events = try events(of: question, from: steps.first?.at, to: steps.last?.at, at)
            let gauge = measures.meter(of: fence, for: device)
            let visits = try visits(of: question, around: at)
            let held = fence.geofence.policy.applied(to: device.policy.applied(to: policy))
            var remedy: ExplanationRemedy?
            if moment?.after != nil {
                let isInside = visits.current != nil
                remedy = RemedySearch(device: device, fence: fence, policy: policy, at: at, fixes: fixes, steps: steps)
                    .remedy(isInside: isInside)
                if !isInside { remedy = remedy ?? .interval(device.id, at: at, steps) }
            }
            return Explanation(
                device: stored.device, geofence: fence.geofence, at: newest == nil && question.at == nil ? nil : at,
                answer: ExplanationSummary(
                    device: stored.device, fence: fence.geofence, at: at, steps: steps, events: events.within, visits: visits
                ).answer,
                visits: visits, steps: steps, events: events.all,
                policy: held.parameters(
                    geofence: fence.geofence.policy, device: device.policy, margin: gauge?.margin ?? 0),
                remarks: try remarks(on: stored, versions, steps, events.within),
                remedies: remedy.map { [$0] } ?? [])
        }
    }

    /// The steps of a replay of the device and the geofence around a moment, with the late fixes that no replay has evaluated
    /// yet; and the fixes around the moment, which the search for a remedy uses.
    private func steps(
        _ stored: PicketStore.StoredDevice, _ versions: [PicketStore.FenceVersion], _ at: Instant, around: Int
    ) throws(Problem) -> (steps: [TimelineStep], fixes: [Fix]) {
        var watch = PairTimeline(versions)
        var window = StepWindow(at: at, around: around)
        var options = DeviceReplay.ReplayOptions()
        options.onlyFences = watch.keys
        options.allowsRemovedPositions = true
        options.reportsEveryStep = true
        try readTracks(of: [stored.key]) { () throws(Problem) in
            guard
                let replay = try DeviceReplay(store, of: stored, from: nil, past: pastFences, policy: policy, options: options)
            else { return }
            var isDone = false
            while !window.isComplete, !isDone {
                isDone = try replay.replay(atMost: 64) { step in
                    if let step = watch.makeStep(step, at: replay.revision(of: watch.keys)) { window.add(step) }
                }
            }
        }
        return (window.steps, window.fixes)
    }

    /// The visits of the device in the geofence around a moment.
    private func visits(of question: Explanation.Question, around at: Instant) throws(Problem) -> Explanation.Visits {
        func visits(after place: PicketStore.VisitPosition? = nil, _ narrow: (inout EventFilter) -> Void) throws(Problem)
            -> [Visit]
        {
            var filter = EventFilter(deviceId: question.deviceId, geofenceIds: [question.geofenceId])
            narrow(&filter)
            var found: [Visit] = []
            try store.forEachVisit(filter, after: place, at: clock.now()) { found.append($0) }
            return found
        }
        var found = Explanation.Visits()
        // Visits of one device in one geofence do not overlap. Of the last two that began, one may still be open at the moment.
        for visit in try visits({
            $0.until = at + 0.001
            $0.limit = 2
        }) {
            if visit.exitedAt.map({ $0 <= at }) ?? false { found.before = visit } else { found.current = visit }
        }
        found.after = try visits(after: .init(enteredAt: at, deviceId: question.deviceId, geofenceId: question.geofenceId)) {
            $0.pageSize = 1
        }.first
        return found
    }

    /// The events of the device and the geofence in a period; and the same with the last event before and the first event after the period.
    private func events(
        of question: Explanation.Question, from start: Instant?, to end: Instant?, _ at: Instant
    ) throws(Problem) -> (within: [Event], all: [Event]) {
        func events(_ narrow: (inout EventFilter) -> Void) throws(Problem) -> [Event] {
            var filter = EventFilter(deviceId: question.deviceId, geofenceIds: [question.geofenceId])
            filter.excludesRetracted = true
            narrow(&filter)
            var found: [Event] = []
            try store.forEachEvent(filter) { found.append($0) }
            return found
        }
        let start = start ?? at
        let after = (end ?? at) + 0.001
        let within = try events {
            $0.since = start
            $0.until = after
        }
        let before = try events {
            $0.until = start
            $0.limit = 1
        }
        let later = try events {
            $0.since = after
            $0.pageSize = 1
        }
        // An event that happened before the period may have been confirmed within it.
        return (before.filter { $0.confirmedAt >= start } + within, before + within + later)
    }

    /// The reasons why the replay may differ from what was decided at the time.
    private func remarks(
        on stored: PicketStore.StoredDevice, _ versions: [PicketStore.FenceVersion], _ steps: [Explanation.Step],
        _ events: [Event]
    ) throws(Problem) -> [ExplanationRemark] {
        var remarks: [ExplanationRemark] = []
        let gaps = try store.replayNotes(of: stored.key).gaps
        if gaps.contains(.positionsRemoved) {
            remarks.append(.positionsRemoved)
        }
        if let late = try store.unevaluatedPositions(of: stored.key), late.since <= steps.last?.at ?? .earliest {
            remarks.append(
                late.cause == .pending ? .lateFixesWait(since: late.since) : .lateFixesNotEvaluated(since: late.since))
        }
        let keys = Set(versions.map(\.key))
        if let last = try store.backdatings(of: stored.key).last(where: { keys.contains($0.fence) }),
            let began = try store.time(ofFixBefore: last.end, of: stored.key), let first = steps.first?.at, first <= began,
            (steps.last?.at ?? first) >= last.start?.time ?? first
        {
            remarks.append(.backdated(isRemoved: last.version == nil, from: last.start?.time, to: began))
        }
        let shown = steps.flatMap(\.transitions)
        let end = steps.last?.at ?? .earliest
        // Missed events follow from rules, which are not evaluated here.
        for event in events where event.rule == nil && event.cause != .deviceRemoved && event.decidedAt <= end {
            if shown.contains(where: { $0.type == event.type && $0.occurredAt == event.occurredAt }) { continue }
            remarks.append(.alsoOnRecord(event.type, at: event.occurredAt))
        }
        return remarks
    }
}

extension Event {
    /// When the event was decided in the device's own time. A dwell that was overdue because its geofence was edited is decided at the
    /// newest fix.
    var decidedAt: Instant { max(confirmedAt, fix.time) }
}

/// The part of a replay to show: a number of fixes before and after a moment, and the steps between them.
private struct StepWindow {
    private let at: Instant
    private let around: Int
    private var before: [TimelineStep] = []
    private var fixesBefore = 0
    private var after: [TimelineStep] = []
    private var fixesAfter = 0
    /// Whether no further step is needed.
    private(set) var isFull = false
    private var fixesSoFar: [Fix] = []
    private var laterFixes: [Fix] = []
    private var reached = Instant.earliest

    /// Whether neither the steps nor the search for a remedy need anything further.
    var isComplete: Bool {
        isFull && (laterFixes.count >= RemedySearch.mostAfter || reached > at + RemedySearch.leastPeriod)
    }

    init(at: Instant, around: Int) {
        self.at = at
        self.around = around
    }

    var steps: [TimelineStep] { Self.last(around, of: before) + after }

    /// The fixes by which a remedy is sought.
    var fixes: [Fix] {
        fixesSoFar.suffix(RemedySearch.mostBefore) + laterFixes
    }

    /// Adds a step if it belongs to the window.
    mutating func add(_ step: TimelineStep) {
        guard step.at < at else {
            reached = step.at
            if let fix = step.fix, !isComplete { laterFixes.append(fix) }
            // One more fix than before the moment is kept, for a fix at exactly that moment, and all steps at the same time are kept.
            if step.isFix, fixesAfter > around, after.last.map({ $0.at < step.at }) ?? true { isFull = true }
            if isFull { return }
            if step.isFix { fixesAfter += 1 }
            after.append(step)
            return
        }
        before.append(step)
        if step.isFix { fixesBefore += 1 }
        if let fix = step.fix {
            fixesSoFar.append(fix)
            if fixesSoFar.count >= 2 * RemedySearch.mostBefore {
                fixesSoFar.removeFirst(fixesSoFar.count - RemedySearch.mostBefore)
            }
        }
        if fixesBefore > 2 * around + 100 {
            before = Self.last(around, of: before)
            fixesBefore = around
        }
    }

    /// The last `count` fixes, and all steps after the first of them.
    private static func last(_ count: Int, of steps: [TimelineStep]) -> [TimelineStep] {
        var left = count
        var start = steps.endIndex
        for index in steps.indices.reversed() where left > 0 && steps[index].isFix {
            left -= 1
            start = index
        }
        return left > 0 ? steps : Array(steps[start...])
    }
}

/// Measures the steps to show, and determines the criterion of each.
private struct StepMeasurer {
    private var device: Device
    private let versions: [PicketStore.FenceVersion]
    /// The store's policy.
    private let policy: DecisionPolicy
    /// The meters for `device`, by the revision with which a version of the geofence starts.
    private var meters: [Int64: FenceMeter] = [:]

    init(device: Device, versions: [PicketStore.FenceVersion], policy: DecisionPolicy) {
        self.device = device
        self.versions = versions
        self.policy = policy
    }

    mutating func meter(of version: PicketStore.FenceVersion, for device: Device) -> FenceMeter? {
        if device.policy != self.device.policy { meters.removeAll() }
        self.device = device
        if let known = meters[version.start] { return known }
        let made = FenceMeter(version.geofence, policy: version.geofence.policy.applied(to: device.policy.applied(to: policy)))
        meters[version.start] = made
        return made
    }

    mutating func explain(_ step: TimelineStep) -> Explanation.Step {
        let fix = step.fix
        let version = step.version.map { versions[$0] }
        let usual = step.device.policy.applied(to: policy)
        let held = version?.geofence.policy.applied(to: usual) ?? usual
        let stay = held.stay > 0 && !step.isDoubted ? step.stay : nil
        let measurement = fix.flatMap { fix in version.flatMap { meter(of: $0, for: step.device) }?.measure(fix, at: stay) }
        let found = AppliedCriterion(device: step.device, versions: versions, policy: held)(step, measurement)
        return Explanation.Step(
            at: step.at, fix: fix, measurement: measurement, before: step.before?.state, after: step.after?.state,
            criterion: found.criterion, because: found.reason, transitions: step.transitions)
    }
}
