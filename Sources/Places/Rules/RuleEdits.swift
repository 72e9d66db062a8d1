import Core
import Model
import Monitor
import Settings
import Store

// Rules as network clients and the command line create, read and change them.

extension Queries {
    /// Why a rule is not evaluated now.
    package enum RuleInactivityReason: String, CaseIterable, Sendable {
        /// The rule is switched off.
        case inactive
        /// The device does not exist, or no device belongs to the group.
        case noDevice
        /// The geofence was removed or is inactive, or no active geofence with the label is for its devices.
        case noGeofence
        /// This machine does not know the time zone.
        case noTimeZone
    }

    /// A rule, and why it is not evaluated now.
    package struct RuleStatus: Sendable {
        package var rule: PresenceRule
        /// Nil if the rule is evaluated.
        var inactivityReason: RuleInactivityReason?

        /// The rule as JSON, with `waitsFor` if it is not evaluated.
        package var json: JSONValue { json(in: AnswerLocale()) }
    }

    /// All rules, sorted by id.
    package func presenceRules() throws(Problem) -> [RuleStatus] {
        var found: [RuleStatus] = []
        for stored in try store.presenceRules() where isVisible(stored.rule) { found.append(try status(of: stored)) }
        return found
    }

    /// The rule with this id. Throws `Problem.notFound` if there is none.
    package func presenceRule(id: String) throws(Problem) -> RuleStatus { try status(of: storedRule(id: id)) }

    fileprivate func storedRule(id: String) throws(Problem) -> PicketStore.StoredRule {
        let rules = try store.presenceRules().filter { isVisible($0.rule) }
        if let found = rules.first(where: { $0.rule.id == id }) { return found }
        throw .notFound(kind: .rule, id: id, similar: Suggestions.similar(to: id, among: rules.map(\.rule.id)))
    }

    private func status(of stored: PicketStore.StoredRule) throws(Problem) -> RuleStatus {
        let rule = stored.rule
        if !rule.isActive { return RuleStatus(rule: rule, inactivityReason: .inactive) }
        if RuleBook.zone(of: rule) == nil { return RuleStatus(rule: rule, inactivityReason: .noTimeZone) }
        if try store.geofences(of: rule).isEmpty { return RuleStatus(rule: rule, inactivityReason: .noGeofence) }
        if try store.hasAssignments(stored.key) { return RuleStatus(rule: rule) }
        // The geofences with the label may all be for other devices.
        let devices = rule.geofences.label == nil ? [] : try store.devices(of: rule)
        return RuleStatus(rule: rule, inactivityReason: devices.isEmpty ? .noDevice : .noGeofence)
    }

    /// The maximum number of seconds by which a rule's `since` may be in the past. Recorded tracks may be old.
    fileprivate static let longestPast = 30 * 31_557_600.0

    /// Checks that the rule's time zone, device and geofence exist.
    ///
    /// - Parameter known: The existing version of the rule. Its device and geofence are not checked again, so that a rule without them can
    ///   be changed.
    fileprivate func checkReferences(_ rule: PresenceRule, known: PresenceRule? = nil) throws(Problem) {
        _ = try LocalTimeZone(named: rule.timeZone)
        if case .device(let id) = rule.subject, rule.subject != known?.subject { _ = try device(id: id) }
        if case .geofence(let id) = rule.geofences, rule.geofences != known?.geofences { _ = try geofence(id: id) }
    }

    // MARK: - The devices and geofences of a rule

    /// A rule, or an edit of geofences, cannot make a rule apply to more pairs of a device and a geofence. Each takes memory.
    static let maximumTargets = 200_000

    /// The geofences at which a rule is evaluated now.
    fileprivate func evaluatedGeofences(of rule: PresenceRule) throws(Problem) -> PicketStore.RuledGeofences {
        rule.isActive ? try store.geofences(of: rule) : .init()
    }

    /// The devices to which a rule applies now, and the geofences at which it applies to each of them.
    ///
    /// - Parameter known: The number of pairs of a device and a geofence to which it applies already.
    fileprivate func targets(
        of rule: PresenceRule, known: Int = 0
    ) throws(Problem) -> [(device: DeviceKey, fences: Set<FenceKey>)] {
        let geofences = try evaluatedGeofences(of: rule)
        let devices = geofences.isEmpty ? [] : try store.devices(of: rule)
        let targets = devices.map { (device: $0.key, fences: geofences.keys(for: $0.device)) }
        let count = targets.reduce(0) { $0 + $1.fences.count }
        if let label = rule.geofences.label, count > max(known, Self.maximumTargets) {
            throw .validationFailed(
                field: "label", value: label,
                reason: Phrase("the rule \(rule.id) would apply to \(count) pairs of a device and a geofence"),
                expected: .atMost(Self.maximumTargets))
        }
        return targets
    }

    /// Whether the client may see a rule.
    private func isVisible(_ rule: PresenceRule) -> Bool { store.visibility?.contains(rule) ?? true }
}

extension ServiceWriter {
    /// Creates a rule from JSON, but does not evaluate its past. That happens later by the clock, unless it happens before.
    ///
    /// - Returns: The rule, and the devices whose past it concerns.
    package func makeRule(_ json: JSONValue) throws(Problem) -> (made: RuleStatus, devices: [DeviceKey]) {
        let now = clock.now()
        let taken = Set(try store.presenceRules().map(\.rule.id))
        var rule = try PresenceRule(json: json, id: nil, now: now)
        if json["id"] == nil || json["id"] == .null {
            let name = rule.id
            var number = 1
            while taken.contains(rule.id) {
                number += 1
                rule.id = Identifier.numbered(name, number)
            }
        } else if taken.contains(rule.id) {
            throw .conflict(kind: .rule, id: rule.id, reason: .alreadyExists)
        }
        try checkReferences(rule)
        if rule.since > now || rule.since < now + -Self.longestPast {
            throw .validationFailed(
                field: "since", value: rule.since.description, reason: .outOfRange,
                expected: .pastTime)
        }
        let made = rule
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
            let key = try store.savePresenceRule(made, in: transaction)
            let targets = try targets(of: made)
            let devices = targets.map(\.device)
            // Nothing is known about a device before its first position. For a first position that is still to come, see
            // `startRulesFromRecording`.
            let first = made.since < now ? try store.oldestFixes(of: devices) : [:]
            for (device, fences) in targets {
                let since = first[device].map { min(now, max(made.since, $0)) }
                for fence in fences {
                    try store.saveRuleAssignment(
                        .init(
                            rule: key, device: device, fence: fence, since: since ?? made.since, evaluatedUpTo: since ?? now),
                        in: transaction)
                }
            }
            try readRules()
            return (try presenceRule(id: made.id), made.since < now ? devices : [])
        }
    }

    /// Evaluates a new rule from its `since` to the newest position of each of some devices. The clock finds the deadlines after that.
    package func evaluatePast(ofRule id: String, _ devices: [DeviceKey]) throws(Problem) {
        guard let rule = try ruleBook().rules.first(where: { $0.rule.id == id })?.rule else { return }
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            var sequence = try store.newestSequence()
            for device in devices {
                guard let deviceIndex = try deviceIndex(of: device), let newest = loadedDevices[deviceIndex].state.newest
                else { continue }
                let beginnings = try ruleBook().fences(ofRule: id, device: device).map {
                    Transition(
                        type: .enter, fence: $0, occurredAt: rule.since, confirmedAt: rule.since, cause: .rule, fix: newest)
                }
                _ = try evaluateRules(
                    ofDeviceAt: deviceIndex, after: beginnings, upTo: newest.time, at: clock.now(), sequence: &sequence,
                    in: transaction)
            }
        }
    }

    /// Changes a rule. The change applies from now on; the existing events stay.
    ///
    /// - Throws: `Problem.notFound` if the rule, the device or the geofence does not exist; `Problem.validationFailed`.
    package func saveRule(_ json: JSONValue, id: String) throws(Problem) -> RuleStatus {
        let known = try storedRule(id: id)
        var rule = try PresenceRule(json: json, id: id, now: known.rule.since)
        if rule.since != known.rule.since {
            throw .validationFailed(
                field: "since", value: rule.since.description, reason: Phrase("it can be set only when a rule is created"),
                expected: Phrase(
                    "'\(known.rule.since.description)' unchanged, or leave it out, because a change applies only from now on"))
        }
        if rule == known.rule { return try presenceRule(id: id) }
        try checkReferences(rule, known: known.rule)
        rule.since = clock.now()
        let changed = rule
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.savePresenceRule(changed, in: transaction)
            let count = try store.ruleAssignments(of: known.key).count
            try store.removeAssignments(of: known.key, in: transaction)
            try updateTargets([.init(key: known.key, rule: changed)], known: count, in: transaction)
            try readRules()
        }
        return try presenceRule(id: id)
    }

    /// Removes a rule. Its events stay.
    package func removePresenceRule(id: String) throws(Problem) {
        let known = try storedRule(id: id)
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.remove(known.key, in: transaction)
            try readRules()
        }
    }

    /// Updates the devices and geofences to which rules apply, from now on. Must be called in the transaction in which the rules, devices
    /// or geofences were changed.
    ///
    /// - Parameter known: The number of pairs of a device and a geofence to which the rule applied; nil for the current one.
    private func updateTargets(
        _ rules: [PicketStore.StoredRule], known: Int? = nil, in transaction: borrowing Transaction
    ) throws(Problem) {
        for stored in rules {
            let all = try store.ruleAssignments(of: stored.key)
            var held = Dictionary(grouping: all, by: \.device)
            for (device, fences) in try targets(of: stored.rule, known: known ?? all.count) {
                try applyRule(stored, to: device, at: fences, instead: held.removeValue(forKey: device) ?? [], in: transaction)
            }
            for ruled in held.values.joined() { try store.remove(ruled, in: transaction) }
        }
    }

    /// Makes a rule apply to a device at some geofences, and at no others. At geofences that are new, it applies from now on.
    private func applyRule(
        _ stored: PicketStore.StoredRule, to device: DeviceKey, at fences: Set<FenceKey>,
        instead held: [PicketStore.RuleAssignment], in transaction: borrowing Transaction
    ) throws(Problem) {
        var wanted = fences
        for ruled in held where wanted.remove(ruled.fence) == nil { try store.remove(ruled, in: transaction) }
        let since = max(stored.rule.since, clock.now())
        for fence in wanted {
            try store.saveRuleAssignment(
                .init(rule: stored.key, device: device, fence: fence, since: since, evaluatedUpTo: since), in: transaction)
        }
    }

    /// Updates the rules that apply to a device that is new, or whose groups have changed.
    package func updateRules(of device: PicketStore.StoredDevice, in transaction: borrowing Transaction) throws(Problem) {
        let rules = try ruleBook().rules
        if rules.isEmpty { return }
        let held = Dictionary(grouping: try store.ruleAssignments(device: device.key), by: \.rule)
        for stored in rules {
            let isAbout = stored.rule.applies(to: device.device)
            let fences = isAbout ? try evaluatedGeofences(of: stored.rule).keys(for: device.device) : []
            try applyRule(stored, to: device.key, at: fences, instead: held[stored.key] ?? [], in: transaction)
        }
        try knownRuleBook?.read(device.key, store)
        if let due = knownRuleBook?.nextDue(of: device.key) { deadlines?.schedule(due, of: device.key) }
        if let deviceIndex = indicesByID[device.device.id] { try readRules(ofDeviceAt: deviceIndex) }
    }

    /// Updates the rules about geofences that have become active or inactive, or have other labels or devices.
    func updateRules(of changes: [GeofenceChange], in transaction: borrowing Transaction) throws(Problem) {
        let all = try ruleBook().rules
        if all.isEmpty { return }
        var (ids, labels) = (Set<String>(), Set<String>())
        for change in changes {
            let (old, new) = (change.old?.geofence, change.new)
            let isOther = (old?.isActive ?? false) != (new?.isActive ?? false)
            if isOther { ids.insert(change.id) }
            if isOther || old?.labels != new?.labels || old?.devices != new?.devices || old?.groups != new?.groups {
                labels.formUnion((old?.labels ?? []) + (new?.labels ?? []))
            }
        }
        let rules = all.filter {
            switch $0.rule.geofences {
            case .geofence(let id): ids.contains(id)
            case .label(let name): labels.contains(name)
            }
        }
        if rules.isEmpty { return }
        try updateTargets(rules, in: transaction)
        try readRules()
    }

    /// Ends all rules of a device that is removed.
    func endRules(ofDeviceAt deviceIndex: Int, in transaction: borrowing Transaction) throws(Problem) {
        let key = loadedDevices[deviceIndex].key
        try store.removeAssignments(to: key, in: transaction)
        try knownRuleBook?.read(key, store)
        try readRules(ofDeviceAt: deviceIndex)
    }

    /// Removes the rules about only this device. Must be called in the transaction that erases it.
    func eraseRules(ofDevice id: String, in transaction: borrowing Transaction) throws(Problem) {
        for stored in try store.presenceRules() where stored.rule.subject == .device(id) {
            try store.remove(stored.key, in: transaction)
        }
    }
}

extension Queries.RuleStatus: JSONWritable {
    package static let output = JSONOutput<Queries.RuleStatus>(
        "Rule", summary: "A rule about the presence of a device in a geofence",
        .init(membersOf: PresenceRule.output, content: \.rule),
        .init(
            "waitsFor", optional: .word,
            summary:
                "In answers: why the rule is not evaluated now (switched off, or its device, geofence or time zone is missing)",
            content: \.inactivityReason))
}
