import Model
import SQLite
import Store

// Presence rules, and the devices and geofences that each rule applies to.

extension PicketStore {
    /// A presence rule with its number in the store.
    package struct StoredRule: Sendable {
        package var key: RuleKey
        package var rule: PresenceRule

        package init(key: RuleKey, rule: PresenceRule) {
            self.key = key
            self.rule = rule
        }
    }

    /// The progress of a presence rule for one of its devices at one of its geofences.
    package struct RuleAssignment: Sendable {
        package var rule: RuleKey
        package var device: DeviceKey
        package var fence: FenceKey
        /// Nothing before this moment is evaluated.
        package var since: Instant
        /// Everything that was due up to this moment has been evaluated.
        package var evaluatedUpTo: Instant

        package init(rule: RuleKey, device: DeviceKey, fence: FenceKey, since: Instant, evaluatedUpTo: Instant) {
            self.rule = rule
            self.device = device
            self.fence = fence
            self.since = since
            self.evaluatedUpTo = evaluatedUpTo
        }
    }

    /// All presence rules, ordered by id.
    package func presenceRules() throws(Problem) -> [StoredRule] {
        try rows(
            "SELECT key, id, config FROM presence_rule ORDER BY id", as: RuleKey.self, String.self, String.self
        ).map { key, id, config throws(Problem) in
            StoredRule(key: key, rule: try PresenceRule(json: json(config), id: id, now: .latest))
        }
    }

    // MARK: - The devices and geofences of a rule

    /// The devices and geofences that presence rules apply to.
    ///
    /// - Parameters:
    ///   - rule: Only devices of this rule; nil for all rules.
    ///   - device: Only this device; nil for all devices.
    package func ruleAssignments(of rule: RuleKey? = nil, device: DeviceKey? = nil) throws(Problem) -> [RuleAssignment] {
        try attempt { () throws(SQLiteError) in
            var sql = "SELECT \(RuleAssignment.columns) FROM presence_rule_target WHERE true"
            if rule != nil { sql += " AND rule = ?1" }
            if device != nil { sql += " AND device = ?2" }
            let row = try statement(sql)
            if let rule { row.bind(1, rule.value) }
            if let device { row.bind(2, device.value) }
            return try row.all()
        }
    }

    /// Applies a presence rule to a device at a geofence, or updates how far the rule is evaluated there.
    package func saveRuleAssignment(_ ruled: RuleAssignment, in transaction: borrowing Transaction) throws(Problem) {
        try execute(
            "INSERT OR REPLACE INTO presence_rule_target VALUES (?,?,?,?,?)",
            ruled.rule.value, ruled.device.value, Int64(ruled.fence.value), ruled.since.milliseconds,
            ruled.evaluatedUpTo.milliseconds, in: transaction)
    }

    /// The stored time at which a device entered a geofence that it is in; nil if it is not in the geofence.
    func enteredAt(_ device: DeviceKey, _ fence: FenceKey) throws(Problem) -> Instant? {
        try writePendingStates(of: device)
        return try firstValue(
            "SELECT entered_at FROM presence WHERE device = ? AND geofence = ?",
            device.value, Int64(fence.value), as: Instant.self)
    }

    /// The stored lag of a device: the age of its positions on receipt, in seconds.
    func lag(of device: DeviceKey) throws(Problem) -> Double {
        try writePendingStates(of: device)
        return try firstValue("SELECT ifnull(lag, 0) FROM device_state WHERE device = ?", device.value, as: Double.self) ?? 0
    }
}

extension PicketStore.RuleAssignment: Row {
    @usableFromInline package static let columns = "rule, device, geofence, since, evaluated_to"

    @usableFromInline package init(_ row: inout ColumnReader) {
        self.init(
            rule: row.next(), device: row.next(), fence: row.next(), since: row.next(), evaluatedUpTo: row.next())
    }
}
