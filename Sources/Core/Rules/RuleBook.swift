import Model
import Monitor
import Settings
import Store

/// The presence rules in memory, with the deadlines of each device.
package struct RuleBook {
    /// A rule that applies to one device at one geofence.
    struct DeviceRule {
        var ruled: PicketStore.RuleAssignment
        var evaluator: RuleEvaluator
        /// The next time at which the rule has to be evaluated without further input; nil for never.
        var nextDue: Instant?

        var rule: PresenceRule { evaluator.rule }
        var fence: FenceKey { ruled.fence }
    }

    /// All rules, including those that apply to no device now.
    package let rules: [PicketStore.StoredRule]
    private let evaluators: [RuleKey: RuleEvaluator]
    private(set) var entries: [DeviceKey: [DeviceRule]] = [:]
    /// The last computed deadline of each rule whose deadlines are the same for all devices: `due` is the next deadline after `after`.
    private var deadlines: [RuleKey: (after: Instant, due: Instant)] = [:]

    /// Reads all rules from the store.
    init(_ store: PicketStore) throws(Problem) {
        rules = try store.presenceRules()
        var evaluators: [RuleKey: RuleEvaluator] = [:]
        for stored in rules { evaluators[stored.key] = Self.zone(of: stored.rule).map { RuleEvaluator(stored.rule, in: $0) } }
        self.evaluators = evaluators
        if rules.isEmpty { return }
        for ruled in try store.ruleAssignments() { try add(ruled, store) }
    }

    /// The time zone of a rule; nil if this machine does not know it, for example after an update of its operating system.
    package static func zone(of rule: PresenceRule) -> LocalTimeZone? {
        do throws(Problem) {
            return try LocalTimeZone(named: rule.timeZone)
        } catch {
            return nil
        }
    }

    /// Reads the rules of one device again.
    package mutating func read(_ device: DeviceKey, _ store: PicketStore) throws(Problem) {
        entries[device] = nil
        for ruled in try store.ruleAssignments(device: device) { try add(ruled, store) }
    }

    private mutating func add(_ ruled: PicketStore.RuleAssignment, _ store: PicketStore) throws(Problem) {
        guard let evaluator = evaluators[ruled.rule] else { return }
        var entry = DeviceRule(ruled: ruled, evaluator: evaluator)
        let isOfStay = entry.rule.expectation.kind == .staysAtMost
        updateNextDue(&entry, enteredAt: isOfStay ? try store.enteredAt(ruled.device, ruled.fence) : nil)
        entries[ruled.device, default: []].append(entry)
    }

    /// Computes the next deadline of an entry.
    ///
    /// - Parameter enteredAt: The start of the open visit; nil if the device is not inside.
    private mutating func updateNextDue(_ entry: inout DeviceRule, enteredAt: Instant?) {
        let (rule, moment) = (entry.ruled.rule, entry.ruled.evaluatedUpTo)
        guard entry.rule.expectation.kind == .entersBy else {
            entry.nextDue = entry.evaluator.nextDue(after: moment, enteredAt: enteredAt)
            // The past of a new rule may still have to be evaluated, in which visits have ended.
            if moment == entry.ruled.since { entry.nextDue = min(entry.nextDue ?? .latest, moment) }
            return
        }
        if let known = deadlines[rule], known.after <= moment, moment < known.due {
            entry.nextDue = known.due
            return
        }
        entry.nextDue = entry.evaluator.nextDue(after: moment, enteredAt: nil)
        deadlines[rule] = entry.nextDue.map { (moment, $0) }
    }

    /// The geofences at which a rule applies to a device.
    package func fences(ofRule id: String, device: DeviceKey) -> [FenceKey] {
        (entries[device] ?? []).lazy.filter { $0.rule.id == id }.map(\.fence)
    }

    /// Records up to when an entry of a device was evaluated.
    ///
    /// - Parameter enteredAt: The start of the open visit; nil if the device is not inside.
    mutating func setEvaluated(upTo moment: Instant, at index: Int, of device: DeviceKey, enteredAt: Instant?) {
        guard var entry = entries[device]?[index] else { return }
        entry.ruled.evaluatedUpTo = moment
        updateNextDue(&entry, enteredAt: enteredAt)
        entries[device]?[index] = entry
    }

    /// The next time at which a rule of a device has to be evaluated without further input; nil for never.
    package func nextDue(of device: DeviceKey) -> Instant? { entries[device]?.compactMap(\.nextDue).min() }
}
