import Geodesy
import Model
import Monitor
import Store

// Rules are judged by what is on record: when a deadline has passed, and whenever a device's enters and exits change.

extension Queries {
    /// A device whose newest position was older than this when it came lives in a recording: its time is that of its positions.
    fileprivate static let recordingAge = 86_400.0

    /// Seconds that a device's rules are behind the clock.
    func ruleLag(_ lag: Double) -> Double { lag > Self.recordingAge ? lag : 0 }
}

extension ServiceWriter {
    /// What is expected of devices; read from the store when first asked for.
    func ruleBook() throws(Problem) -> RuleBook {
        if let knownRuleBook { return knownRuleBook }
        let book = try RuleBook(store)
        knownRuleBook = book
        return book
    }

    /// When, by the clock, there is next something to judge of a device though nothing comes from it.
    func ruleDeadline(ofSlot slot: Int) -> Instant? {
        let due = slots[slot].ruleDue
        return due == .latest ? nil : due + ruleLag(slots[slot].state.lag)
    }

    /// Reads all rules again, after they have changed.
    func readRules() throws(Problem) {
        knownRuleBook = nil
        let book = try ruleBook()
        for slot in slots.indices where slots[slot].hasRules || book.entries[slots[slot].key] != nil {
            if slotsByKey[slots[slot].key] == slot { try readRules(ofSlot: slot) }
        }
        guard deadlines != nil else { return }
        for (key, entries) in book.entries {
            guard let due = entries.compactMap(\.nextDue).min() else { continue }
            let known = slotsByKey[key].map { slots[$0].state.lag }
            let lag = if let known { known } else { try store.lag(of: key) }
            deadlines?.note(due + ruleLag(lag), of: key)
        }
    }

    /// Notes in a device's slot what rules hold for it.
    func readRules(ofSlot slot: Int) throws(Problem) {
        let key = slots[slot].key
        let book = try ruleBook()
        slots[slot].hasRules = book.entries[key] != nil
        slots[slot].ruleDue = book.nextDue(of: key) ?? .latest
    }

    /// Judges what has come due of a device by the clock.
    func judgeRules(ofSlot slot: Int, byClock now: Instant) throws(Problem) -> [Event] {
        guard let deadline = ruleDeadline(ofSlot: slot), deadline < now else { return [] }
        var sequence = try store.newestSequence()
        return try judgeRules(
            ofSlot: slot, upTo: now + -ruleLag(slots[slot].state.lag), at: now, sequence: &sequence)
    }

    /// Lets the time of a device that has sent no position begin with its first one, when that comes from a recording that rules are to
    /// judge.
    func beginRecording(ofSlot slot: Int, with fix: Fix, at now: Instant) throws(Problem) {
        guard slots[slot].hasRules, slots[slot].state.newest == nil, now - fix.time > Self.recordingAge else { return }
        let key = slots[slot].key
        for var ruled in try store.ruledDevices(device: key) where max(ruled.since, fix.time) < ruled.judgedTo {
            ruled.since = max(ruled.since, fix.time)
            ruled.judgedTo = ruled.since
            try store.put(ruled)
        }
        try knownRuleBook?.read(key, store)
        try readRules(ofSlot: slot)
    }

    /// Judges what rules expect of a device, and records what is other than on record: a `missed` for what did not happen, and a
    /// retraction of one for what did. To be called in the transaction of what it follows from, after that is recorded.
    ///
    /// - Parameters:
    ///   - changes: The enters and exits that were recorded or taken back; of other transitions nothing follows.
    ///   - moment: The device's time, by which deadlines have passed; nil: none but those before the changes.
    ///   - cause: Of the events.
    ///   - now: When they are recorded.
    ///   - sequence: The number of the newest event.
    func judgeRules(
        ofSlot slot: Int, after changes: [Transition] = [], upTo moment: Instant? = nil, cause: Cause = .rule, at now: Instant,
        sequence: inout Int64
    ) throws(Problem) -> [Event] {
        guard slots[slot].hasRules else { return [] }
        let key = slots[slot].key
        var changed: [FenceKey: Instant] = [:]
        var limit = moment ?? .earliest
        for change in changes where change.type == .enter || change.type == .exit {
            guard let fence = change.fence else { continue }
            changed[fence] = min(changed[fence] ?? .latest, change.occurredAt)
            limit = max(limit, change.occurredAt)
        }
        var events: [Event] = []
        for (index, entry) in (try ruleBook().entries[key] ?? []).enumerated() {
            let change = changed[entry.fence]
            guard change != nil || entry.nextDue.map({ $0 <= limit }) ?? false else { continue }
            events += try judge(entry, at: index, slot, from: change, upTo: limit, cause, now, &sequence)
        }
        try readRules(ofSlot: slot)
        publish(events)
        return events
    }

    /// Judges one rule.
    ///
    /// - Parameter change: The moment of the first change since it was last judged; nil when only time has passed.
    private func judge(
        _ entry: RuleBook.Entry, at index: Int, _ slot: Int, from change: Instant?, upTo moment: Instant, _ cause: Cause,
        _ now: Instant, _ sequence: inout Int64
    ) throws(Problem) -> [Event] {
        let (key, grace) = (slots[slot].key, entry.rule.expectation.grace)
        let limit = max(entry.ruled.judgedTo, moment)
        let start = max(entry.ruled.since, min(change ?? .latest, entry.ruled.judgedTo + -grace))
        var stays = try store.endedStays(of: key, in: entry.fence, since: start + -RuleEvaluator.lookBack)
        let enteredAt = slots[slot].state.presence(entry.fence)?.visit?.enteredAt
        if let enteredAt { stays.append(TimeInside(enteredAt: enteredAt)) }
        let recorded = try store.standingMisses(of: entry.ruled.rule, device: key, since: start, grace: grace)
            .filter { $0.miss.dueAt <= limit }
        let misses = entry.evaluator.misses(stays, from: start, upTo: limit)
        var events: [Event] = []
        let (right, known) = (Set(misses), Set(recorded.map(\.miss)))
        for wrong in recorded where !right.contains(wrong.miss) {
            events.append(try record(wrong.miss, entry, slot, cause, now, &sequence, retracting: wrong))
        }
        for miss in misses where !known.contains(miss) {
            events.append(try record(miss, entry, slot, cause, now, &sequence))
        }
        if limit > entry.ruled.judgedTo {
            var ruled = entry.ruled
            ruled.judgedTo = limit
            try store.put(ruled)
        }
        knownRuleBook?.set(judgedTo: limit, at: index, of: key, enteredAt: enteredAt)
        return events
    }

    /// Records that something did not happen, or that this was wrong.
    private func record(
        _ miss: Miss, _ entry: RuleBook.Entry, _ slot: Int, _ cause: Cause, _ now: Instant, _ sequence: inout Int64,
        retracting wrong: RegionStore.RecordedMiss? = nil
    ) throws(Problem) -> Event {
        let fences = try engine().fences
        let state = slots[slot].state
        let nowhere = Fix(time: miss.dueAt, coordinate: Coordinate(latitude: 0, longitude: 0))
        let visit = wrong == nil ? miss.enteredAt.map { OpenVisit(enteredAt: $0, cause: .moved) } : nil
        let transition = Transition(
            type: wrong == nil ? .missed : .retracted, fence: entry.fence, occurredAt: miss.occurredAt, confirmedAt: miss.dueAt,
            cause: cause, fix: state.newest ?? nowhere, visit: visit)
        let revision = wrong?.revision ?? fences.revision
        sequence += 1
        var event = try store.append(
            transition, sequence: sequence, device: slots[slot].key, deviceId: state.device.id,
            geofence: try store.geofence(entry.fence, at: revision), revision: revision, recordedAt: now, retracts: wrong?.id)
        let rule = MissedRule(
            id: entry.rule.id, expectation: entry.rule.expectation, timeZone: entry.rule.timeZone,
            hasPosition: state.newest != nil)
        event.rule = rule
        try store.append(rule, entry.ruled.rule, to: event, of: slots[slot].key)
        return event
    }
}
