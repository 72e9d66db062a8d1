import Model
import Monitor
import Store

extension GeofenceService {
    /// Explains what happened, or did not, between a device and a geofence around a moment, by the fixes that are stored.
    ///
    /// - Throws: `Problem.notFound` for a device that is not there, and for a geofence that never was.
    /// - Complexity: O(the device's fixes up to that moment), read one by one.
    public func explain(_ question: Explanation.Question) throws(Problem) -> Explanation {
        try store.snapshot { () throws(Problem) in
            let stored = try storedDevice(id: question.deviceId)
            let versions = try store.fenceVersions(id: question.geofenceId)
            guard let last = versions.last else { throw try noGeofence(question.geofenceId) }
            let newest = try store.state(of: stored, policy: policy).newest?.time
            let at = question.at ?? newest ?? clock.now()

            var window = StepWindow(at: at, around: question.around)
            var replay = try PairReplay(store, stored, versions, policy: policy)
            try replay.run { window.add($0) }
            let found = window.steps
            let version = found.last { $0.at <= at }.flatMap(\.version)
            let fence = version.map { versions[$0] } ?? last

            var measures = Measures(device: stored.device, versions: versions, policy: policy)
            let steps = found.map { measures.step($0) }
            let events = try events(of: question, from: steps.first?.at, to: steps.last?.at, at)
            let gauge = measures.gauge(of: fence)
            let held = fence.geofence.policy.applied(to: stored.device.policy.applied(to: policy))
            return Explanation(
                device: stored.device, geofence: fence.geofence, at: newest == nil && question.at == nil ? nil : at,
                answer: Verdict(
                    device: stored.device, fence: fence.geofence, at: at, steps: steps, events: events.within
                ).sentence,
                steps: steps, events: events.all,
                policy: held.numbers(
                    geofence: fence.geofence.policy, device: stored.device.policy, margin: gauge?.margin ?? 0),
                remarks: try remarks(on: stored, steps, events.within))
        }
    }

    /// The events of a pair in a span of time; and with them the last before and the first after it.
    private func events(
        of question: Explanation.Question, from start: Instant?, to end: Instant?, _ at: Instant
    ) throws(Problem) -> (within: [Event], all: [Event]) {
        func events(_ narrow: (inout EventFilter) -> Void) throws(Problem) -> [Event] {
            var filter = EventFilter()
            filter.deviceId = question.deviceId
            filter.geofenceId = question.geofenceId
            filter.standing = true
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
        // What was dated back may have become sure in this time.
        return (before.filter { $0.confirmedAt >= start } + within, before + within + later)
    }

    /// Why what is shown may be other than what was decided.
    private func remarks(
        on stored: RegionStore.StoredDevice, _ steps: [Explanation.Step], _ events: [Event]
    ) throws(Problem) -> [String] {
        var remarks: [String] = []
        let gaps = try store.replayNotes(of: stored.key).gaps
        if gaps.contains(.rulesChanged) {
            remarks.append(
                "The device's groups, policy or silence were edited after its first fix; it is judged here by what holds now.")
        }
        if gaps.contains(.positionsRemoved) {
            remarks.append("Positions of the device were removed or never kept; it is judged here from the first that is left.")
        }
        if let since = try store.pendingReplay(of: stored.key), since <= steps.last?.at ?? .earliest {
            remarks.append(
                "Fixes came late, the first of \(Wording.time(since)), and wait for a replay; here they are judged in their place."
            )
        }
        let shown = steps.flatMap(\.transitions)
        let end = steps.last?.at ?? .earliest
        for event in events where event.cause != .deviceRemoved && event.confirmedAt <= end {
            if shown.contains(where: { $0.type == event.type && $0.occurredAt == event.occurredAt }) { continue }
            remarks.append(
                "On record is also: \(event.type.rawValue) at \(Wording.time(event.occurredAt)). Judging the stored fixes anew "
                    + "does not give it.")
        }
        return remarks
    }
}

/// What is shown of a replay: so many fixes before a moment, so many from it on, and what happened between them.
private struct StepWindow {
    private let at: Instant
    private let around: Int
    private var before: [PairStep] = []
    private var fixesBefore = 0
    private var after: [PairStep] = []
    private var fixesAfter = 0

    init(at: Instant, around: Int) {
        self.at = at
        self.around = around
    }

    var steps: [PairStep] { Self.last(around, of: before) + after }

    /// Takes a step. Tells whether more is wanted.
    mutating func add(_ step: PairStep) -> Bool {
        guard step.at < at else {
            if step.isFix {
                // One more than before, for a fix of just that moment.
                if fixesAfter > around { return false }
                fixesAfter += 1
            }
            after.append(step)
            return true
        }
        before.append(step)
        if step.isFix { fixesBefore += 1 }
        if fixesBefore > 2 * around + 100 {
            before = Self.last(around, of: before)
            fixesBefore = around
        }
        return true
    }

    /// The last so many fixes, with what happened after the first of them.
    private static func last(_ count: Int, of steps: [PairStep]) -> [PairStep] {
        var left = count
        var start = steps.endIndex
        for index in steps.indices.reversed() where left > 0 && steps[index].isFix {
            left -= 1
            start = index
        }
        return left > 0 ? steps : Array(steps[start...])
    }
}

/// Measures the steps that are shown, and finds the rule of each.
private struct Measures {
    let device: Device
    let versions: [RegionStore.FenceVersion]
    /// The device's own over the store's.
    let policy: DecisionPolicy
    private var gauges: [Int64: FenceGauge] = [:]

    init(device: Device, versions: [RegionStore.FenceVersion], policy: DecisionPolicy) {
        self.device = device
        self.versions = versions
        self.policy = device.policy.applied(to: policy)
    }

    mutating func gauge(of version: RegionStore.FenceVersion) -> FenceGauge? {
        if let known = gauges[version.start] { return known }
        let made = FenceGauge(version.geofence, policy: version.geofence.policy.applied(to: policy))
        gauges[version.start] = made
        return made
    }

    mutating func step(_ step: PairStep) -> Explanation.Step {
        var fix: Fix?
        if case .fix(let seen) = step.happening { fix = seen }
        let version = step.version.map { versions[$0] }
        let measurement = fix.flatMap { fix in version.flatMap { gauge(of: $0) }?.measure(fix) }
        let held = version?.geofence.policy.applied(to: policy) ?? policy
        let found = RuleThatHeld(device: device, versions: versions, policy: held)(step, measurement)
        return Explanation.Step(
            at: step.at, fix: fix, measurement: measurement, before: step.before?.standing, after: step.after?.standing,
            rule: found.rule, because: found.because, transitions: step.transitions)
    }
}
