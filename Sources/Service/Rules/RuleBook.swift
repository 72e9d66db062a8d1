import Model
import Monitor
import Store

/// What is expected of each device, in memory.
struct RuleBook {
    /// What a rule expects of one device.
    struct Entry {
        var ruled: RegionStore.RuledDevice
        var evaluator: RuleEvaluator
        var fence: FenceKey
        /// When there is next something to judge though nothing happens; nil when there never is.
        var nextDue: Instant?

        var rule: PresenceRule { evaluator.rule }
    }

    /// All rules, also those that hold for no device now.
    let rules: [RegionStore.StoredRule]
    private let evaluators: [RuleKey: (evaluator: RuleEvaluator, fence: FenceKey)]
    private(set) var entries: [DeviceKey: [Entry]] = [:]

    /// Reads all of it.
    init(_ store: RegionStore) throws(Problem) {
        rules = try store.presenceRules()
        var evaluators: [RuleKey: (RuleEvaluator, FenceKey)] = [:]
        for stored in rules {
            guard let fence = try store.geofence(id: stored.rule.geofenceId), let zone = Self.zone(of: stored.rule) else {
                continue
            }
            evaluators[stored.key] = (RuleEvaluator(stored.rule, in: zone), fence.key)
        }
        self.evaluators = evaluators
        if rules.isEmpty { return }
        for ruled in try store.ruledDevices() { try add(ruled, store) }
    }

    /// The zone of a rule; nil when this machine does not know it any more, as after a change of its system.
    static func zone(of rule: PresenceRule) -> LocalTimeZone? {
        do throws(Problem) {
            return try LocalTimeZone(named: rule.timeZone)
        } catch {
            return nil
        }
    }

    /// Reads anew what is expected of one device.
    mutating func read(_ device: DeviceKey, _ store: RegionStore) throws(Problem) {
        entries[device] = nil
        for ruled in try store.ruledDevices(device: device) { try add(ruled, store) }
    }

    private mutating func add(_ ruled: RegionStore.RuledDevice, _ store: RegionStore) throws(Problem) {
        guard let (evaluator, fence) = evaluators[ruled.rule] else { return }
        let enteredAt = try store.insideSince(ruled.device, fence)
        entries[ruled.device, default: []].append(
            Entry(
                ruled: ruled, evaluator: evaluator, fence: fence,
                nextDue: evaluator.nextDue(after: ruled.judgedTo, enteredAt: enteredAt)))
    }

    /// Notes how far an entry is judged.
    mutating func set(_ entry: Entry, at index: Int, of device: DeviceKey) { entries[device]?[index] = entry }

    /// When there is next something to judge of a device though nothing happens.
    func nextDue(of device: DeviceKey) -> Instant? { entries[device]?.compactMap(\.nextDue).min() }
}
