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
    /// The last deadline that was found of each rule whose deadlines are the same for all devices: the next after `after`.
    private var deadlines: [RuleKey: (after: Instant, due: Instant)] = [:]

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
        var entry = Entry(ruled: ruled, evaluator: evaluator, fence: fence)
        let isOfStay = entry.rule.expectation.kind == .staysAtMost
        setDue(&entry, enteredAt: isOfStay ? try store.insideSince(ruled.device, fence) : nil)
        entries[ruled.device, default: []].append(entry)
    }

    /// Finds out when there is next something to judge.
    ///
    /// - Parameter enteredAt: Of the stay that has not ended; nil when the device is not inside.
    private mutating func setDue(_ entry: inout Entry, enteredAt: Instant?) {
        let (rule, moment) = (entry.ruled.rule, entry.ruled.judgedTo)
        guard entry.rule.expectation.kind == .entersBy else {
            return entry.nextDue = entry.evaluator.nextDue(after: moment, enteredAt: enteredAt)
        }
        if let known = deadlines[rule], known.after <= moment, moment < known.due { return entry.nextDue = known.due }
        entry.nextDue = entry.evaluator.nextDue(after: moment, enteredAt: nil)
        deadlines[rule] = entry.nextDue.map { (moment, $0) }
    }

    /// Notes how far an entry of a device is judged.
    ///
    /// - Parameter enteredAt: Of the stay that has not ended; nil when the device is not inside.
    mutating func set(judgedTo moment: Instant, at index: Int, of device: DeviceKey, enteredAt: Instant?) {
        guard var entry = entries[device]?[index] else { return }
        entry.ruled.judgedTo = moment
        setDue(&entry, enteredAt: enteredAt)
        entries[device]?[index] = entry
    }

    /// When there is next something to judge of a device though nothing happens.
    func nextDue(of device: DeviceKey) -> Instant? { entries[device]?.compactMap(\.nextDue).min() }
}
