import Core
import Model
import SQLite
import Store

// Edits of presence rules, and of the devices and geofences that each rule applies to.

extension PicketStore {
    /// Saves a presence rule: adds it, or updates the rule with this id.
    @discardableResult
    func savePresenceRule(_ rule: PresenceRule, in transaction: borrowing Transaction) throws(Problem) -> RuleKey {
        try attempt { () throws(SQLiteError) in
            try statement(
                """
                INSERT INTO presence_rule (id, config) VALUES (?, ?)
                ON CONFLICT (id) DO UPDATE SET config = excluded.config RETURNING key
                """, rule.id, rule.json.description, in: transaction
            ).values(RuleKey.self).first ?? RuleKey(0)
        }
    }

    /// Removes a presence rule. Its events are kept.
    func remove(_ rule: RuleKey, in transaction: borrowing Transaction) throws(Problem) {
        try execute("DELETE FROM presence_rule WHERE key = ?", rule.value, in: transaction)
    }

    /// The devices that a rule is about.
    func devices(of rule: PresenceRule) throws(Problem) -> [StoredDevice] {
        switch rule.subject {
        case .device(let id): try device(id: id).map { [$0] } ?? []
        case .group(let name): try devices(inGroup: name)
        }
    }

    /// The active geofences that a rule is about.
    struct RuledGeofences {
        fileprivate var forAll: [FenceKey] = []
        fileprivate var byDevice: [String: [FenceKey]] = [:]
        fileprivate var byGroup: [String: [FenceKey]] = [:]

        var isEmpty: Bool { forAll.isEmpty && byDevice.isEmpty && byGroup.isEmpty }

        /// The geofences at which the rule applies to a device.
        func keys(for device: Device) -> Set<FenceKey> {
            var keys = Set(forAll)
            keys.formUnion(byDevice[device.id] ?? [])
            for group in device.groups { keys.formUnion(byGroup[group] ?? []) }
            return keys
        }
    }

    /// The active geofences that a rule is about. With a label, the rule applies only to the devices of each geofence.
    func geofences(of rule: PresenceRule) throws(Problem) -> RuledGeofences {
        var found = RuledGeofences()
        switch rule.geofences {
        case .geofence(let id): if let known = try geofenceKey(id: id), known.isActive { found.forAll = [known.key] }
        case .label(let name):
            let rows = try rows(
                """
                SELECT key, devices, groups FROM geofence INDEXED BY geofence_labels
                WHERE to_revision IS NULL AND labels IS NOT NULL AND active
                AND EXISTS (SELECT 1 FROM json_each(labels) WHERE value = ?) ORDER BY key
                """, name, as: FenceKey.self, String?.self, String?.self)
            for (key, devices, groups) in rows {
                if devices == nil, groups == nil { found.forAll.append(key) }
                for id in try list(devices) { found.byDevice[id, default: []].append(key) }
                for name in try list(groups) { found.byGroup[name, default: []].append(key) }
            }
        }
        return found
    }

    /// Whether a presence rule applies to any device at any geofence.
    func hasAssignments(_ rule: RuleKey) throws(Problem) -> Bool {
        try hasRow("SELECT 1 FROM presence_rule_target WHERE rule = ? LIMIT 1", rule.value)
    }

    /// Ends the application of a presence rule to all devices.
    func removeAssignments(of rule: RuleKey, in transaction: borrowing Transaction) throws(Problem) {
        try execute("DELETE FROM presence_rule_target WHERE rule = ?", rule.value, in: transaction)
    }

    /// Ends the application of all presence rules to a device.
    func removeAssignments(to device: DeviceKey, in transaction: borrowing Transaction) throws(Problem) {
        try execute("DELETE FROM presence_rule_target WHERE device = ?", device.value, in: transaction)
    }

    /// Ends the application of a presence rule to a device at a geofence.
    func remove(_ assignment: RuleAssignment, in transaction: borrowing Transaction) throws(Problem) {
        try execute(
            "DELETE FROM presence_rule_target WHERE rule = ? AND device = ? AND geofence = ?", assignment.rule.value,
            assignment.device.value, Int64(assignment.fence.value), in: transaction)
    }
}
