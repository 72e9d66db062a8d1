import Geodesy
import Model
import Monitor
import Store

// Rules are evaluated from the events on record: after a deadline has passed, and whenever the enters and exits of a device change.

extension Queries {
    /// If a device's newest position was older than this number of seconds on arrival, its positions come from a recording, and its time is
    /// that of the positions.
    fileprivate static let recordingAge = 86_400.0

    /// Seconds by which the time of a device's rules is behind the clock.
    func ruleLag(_ lag: Double) -> Double { lag > Self.recordingAge ? lag : 0 }
}

extension ServiceWriter {
    /// The rules of all devices. Read from the store on first use.
    package func ruleBook() throws(Problem) -> RuleBook {
        if let knownRuleBook { return knownRuleBook }
        let book = try RuleBook(store)
        knownRuleBook = book
        return book
    }

    /// The next time by the clock at which a rule of a device has to be evaluated without further input; nil for never.
    package func ruleDeadline(ofDeviceAt deviceIndex: Int) -> Instant? {
        let due = loadedDevices[deviceIndex].ruleDue
        return due == .latest ? nil : due + ruleLag(loadedDevices[deviceIndex].state.lag)
    }

    /// Reads all rules again after they were changed.
    package func readRules() throws(Problem) {
        knownRuleBook = nil
        let book = try ruleBook()
        for deviceIndex in loadedDevices.indices
        where loadedDevices[deviceIndex].hasRules || book.entries[loadedDevices[deviceIndex].key] != nil {
            if indicesByKey[loadedDevices[deviceIndex].key] == deviceIndex { try readRules(ofDeviceAt: deviceIndex) }
        }
        guard deadlines != nil else { return }
        for (key, entries) in book.entries {
            guard let due = entries.compactMap(\.nextDue).min() else { continue }
            let known = indicesByKey[key].map { loadedDevices[$0].state.lag }
            let lag = if let known { known } else { try store.lag(of: key) }
            deadlines?.schedule(due + ruleLag(lag), of: key)
        }
    }

    /// Updates a loaded device with the rules that apply to it.
    package func readRules(ofDeviceAt deviceIndex: Int) throws(Problem) {
        let key = loadedDevices[deviceIndex].key
        let book = try ruleBook()
        loadedDevices[deviceIndex].hasRules = book.entries[key] != nil
        loadedDevices[deviceIndex].ruleDue = book.nextDue(of: key) ?? .latest
    }

    /// Evaluates the rules of a device that are due by the clock.
    func evaluateRules(
        ofDeviceAt deviceIndex: Int, byClock now: Instant, in transaction: borrowing Transaction
    ) throws(Problem) -> [Event] {
        guard let deadline = ruleDeadline(ofDeviceAt: deviceIndex), deadline < now else { return [] }
        var sequence = try store.newestSequence()
        return try evaluateRules(
            ofDeviceAt: deviceIndex, upTo: now + -ruleLag(loadedDevices[deviceIndex].state.lag), at: now, sequence: &sequence,
            in: transaction)
    }

    /// If a device's first position comes from a recording, makes its rules apply from the time of that position.
    package func startRulesFromRecording(
        ofDeviceAt deviceIndex: Int, with fix: Fix, at now: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        guard loadedDevices[deviceIndex].hasRules, loadedDevices[deviceIndex].state.newest == nil,
            now - fix.time > Self.recordingAge
        else { return }
        let key = loadedDevices[deviceIndex].key
        for var ruled in try store.ruleAssignments(device: key) where max(ruled.since, fix.time) < ruled.evaluatedUpTo {
            ruled.since = max(ruled.since, fix.time)
            ruled.evaluatedUpTo = ruled.since
            try store.saveRuleAssignment(ruled, in: transaction)
        }
        try knownRuleBook?.read(key, store)
        try readRules(ofDeviceAt: deviceIndex)
    }

    /// Evaluates the rules of a device, and records the differences from the events on record: `missed` for what did not happen, and a
    /// retraction if it did happen after all. Must be called in the transaction that causes the changes, after they were recorded.
    ///
    /// - Parameters:
    ///   - changes: The transitions that were recorded or retracted. Only enters and exits matter.
    ///   - positionsFrom: The time of the first position that has become known or was removed among earlier ones; nil for none.
    ///     The time for which the device was seen in later visits may have changed.
    ///   - moment: The device's time, up to which deadlines have passed; nil for only those before the changes.
    ///   - cause: The cause of the events.
    ///   - now: The recording time of the events.
    ///   - sequence: The number of the newest event.
    package func evaluateRules(
        ofDeviceAt deviceIndex: Int, after changes: [Transition] = [], positionsFrom: Instant? = nil, upTo moment: Instant? = nil,
        cause: Cause = .rule, at now: Instant, sequence: inout Int64, in transaction: borrowing Transaction
    ) throws(Problem) -> [Event] {
        guard loadedDevices[deviceIndex].hasRules else { return [] }
        keepForUndo(deviceIndex)
        let key = loadedDevices[deviceIndex].key
        var changed: [FenceKey: Instant] = [:]
        // The beginnings of the visits that have changed.
        var begun: [FenceKey: Instant] = [:]
        var limit = moment ?? .earliest
        for change in changes where change.type == .enter || change.type == .exit {
            guard let fence = change.fence else { continue }
            changed[fence] = min(changed[fence] ?? .latest, change.occurredAt)
            begun[fence] = min(begun[fence] ?? .latest, change.visit?.enteredAt ?? .latest)
            limit = max(limit, change.occurredAt)
        }
        var due: [DueRule] = []
        for (index, entry) in (try ruleBook().entries[key] ?? []).enumerated() {
            var change = changed[entry.fence]
            // Whether a visit counts is known at its end.
            if entry.rule.minDuration != nil {
                let first = min(change ?? .latest, begun[entry.fence] ?? .latest)
                change = positionsFrom.map { min(first, $0 + -RuleEvaluator.relevantSeconds) } ?? (change == nil ? nil : first)
            }
            guard change != nil || entry.nextDue.map({ $0 <= limit }) ?? false else { continue }
            due.append(DueRule(index: index, entry: entry, from: change))
        }
        if due.contains(where: { $0.entry.rule.minDuration != nil }) {
            // It depends on the positions for how long the device was seen.
            try saveSeen(deviceIndex, in: transaction)
            if try store.unorderedFixCount() > Self.fixesSortedAtOnce { try store.orderFixes(in: transaction) }
        }
        var events: [Event] = []
        for (due, past) in try pasts(of: due, deviceIndex) {
            events += try evaluateRule(due, past, deviceIndex, upTo: limit, cause, now, &sequence, in: transaction)
        }
        try readRules(ofDeviceAt: deviceIndex)
        publish(events)
        return events
    }

    /// A rule to evaluate for a device at a geofence.
    private struct DueRule {
        var index: Int
        var entry: RuleBook.DeviceRule
        /// From when on it is evaluated.
        var start: Instant

        /// - Parameter change: The time of the first change since the last evaluation; nil if only time has passed.
        init(index: Int, entry: RuleBook.DeviceRule, from change: Instant?) {
            (self.index, self.entry) = (index, entry)
            start = max(
                entry.ruled.since, min(change ?? .latest, entry.ruled.evaluatedUpTo + -entry.rule.expectation.grace))
        }

        /// Stays that ended before this do not matter.
        var relevant: Instant { start + -RuleEvaluator.relevantSeconds }
    }

    /// What is on record about a rule, a device and a geofence: the stays that have ended, and the missed events.
    private typealias RulePast = (stays: [TimeInside], misses: [PicketStore.RecordedMissedEvent])

    /// Reads what is on record for rules of a device, once for all geofences.
    private func pasts(of due: [DueRule], _ deviceIndex: Int) throws(Problem) -> [(due: DueRule, past: RulePast)] {
        guard let relevant = due.lazy.map(\.relevant).min() else { return [] }
        let key = loadedDevices[deviceIndex].key
        let stays = try store.endedStays(of: key, since: relevant)
        var found: [(due: DueRule, past: RulePast)] = []
        for (rule, ofRule) in Dictionary(grouping: due, by: \.entry.ruled.rule).sorted(by: { $0.key.value < $1.key.value }) {
            let misses = try store.unretractedMisses(
                of: rule, device: key, since: ofRule.lazy.map(\.start).min() ?? relevant,
                grace: ofRule[0].entry.rule.expectation.grace)
            for due in ofRule {
                let past = (
                    stays: (stays[due.entry.fence] ?? []).filter { $0.exitedAt ?? .latest >= due.relevant },
                    misses: (misses[due.entry.fence] ?? []).filter { $0.miss.occurredAt >= due.start }
                )
                found.append((due, past))
            }
        }
        return found
    }

    /// Evaluates one rule at one geofence.
    private func evaluateRule(
        _ due: DueRule, _ past: RulePast, _ deviceIndex: Int, upTo moment: Instant, _ cause: Cause,
        _ now: Instant, _ sequence: inout Int64, in transaction: borrowing Transaction
    ) throws(Problem) -> [Event] {
        let (key, entry) = (loadedDevices[deviceIndex].key, due.entry)
        let limit = max(entry.ruled.evaluatedUpTo, moment)
        var stays = past.stays
        if let shortest = entry.rule.minDuration {
            try store.addSeen(
                to: &stays, of: .init(key: key, device: loadedDevices[deviceIndex].state.device), atLeast: shortest)
        }
        let enteredAt = loadedDevices[deviceIndex].state.fenceState(of: entry.fence)?.visit?.enteredAt
        if let enteredAt { stays.append(TimeInside(enteredAt: enteredAt)) }
        let recorded = past.misses.filter { $0.miss.dueAt <= limit }
        let misses = entry.evaluator.misses(stays, from: due.start, upTo: limit)
        var events: [Event] = []
        let (right, known) = (Set(misses), Set(recorded.map(\.miss)))
        for wrong in recorded where !right.contains(wrong.miss) {
            events.append(try record(wrong.miss, entry, deviceIndex, cause, now, &sequence, retracting: wrong, in: transaction))
        }
        for miss in misses where !known.contains(miss) {
            events.append(try record(miss, entry, deviceIndex, cause, now, &sequence, in: transaction))
        }
        if limit > entry.ruled.evaluatedUpTo {
            var ruled = entry.ruled
            ruled.evaluatedUpTo = limit
            try store.saveRuleAssignment(ruled, in: transaction)
        }
        knownRuleBook?.setEvaluated(upTo: limit, at: due.index, of: key, enteredAt: enteredAt)
        return events
    }

    /// Records that something expected did not happen, or retracts such an event.
    private func record(
        _ miss: RuleMiss, _ entry: RuleBook.DeviceRule, _ deviceIndex: Int, _ cause: Cause, _ now: Instant,
        _ sequence: inout Int64,
        retracting wrong: PicketStore.RecordedMissedEvent? = nil, in transaction: borrowing Transaction
    ) throws(Problem) -> Event {
        let fences = try engine().fences
        let state = loadedDevices[deviceIndex].state
        let nowhere = Fix(time: miss.dueAt, coordinate: Coordinate(latitude: 0, longitude: 0))
        let visit = wrong == nil ? miss.enteredAt.map { OpenVisit(enteredAt: $0, cause: .moved) } : nil
        let transition = Transition(
            type: wrong == nil ? .missed : .retracted, fence: entry.fence, occurredAt: miss.occurredAt, confirmedAt: miss.dueAt,
            cause: cause, fix: state.newest ?? nowhere, visit: visit)
        let revision = wrong?.revision ?? fences.revision
        sequence += 1
        var event = try store.append(
            transition, sequence: sequence, device: loadedDevices[deviceIndex].key, deviceId: state.device.id,
            geofence: try store.geofence(entry.fence, at: revision), revision: revision, recordedAt: now, retracts: wrong?.id,
            in: transaction)
        let rule = MissedRule(
            id: entry.rule.id, expectation: entry.rule.expectation, timeZone: entry.rule.timeZone,
            hasPosition: state.newest != nil)
        event.rule = rule
        try store.append(rule, entry.ruled.rule, to: event, of: loadedDevices[deviceIndex].key, in: transaction)
        return event
    }
}
