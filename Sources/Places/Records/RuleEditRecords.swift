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
    func devices(of rule: PresenceRule) throws(Problem) -> [DeviceKey] {
        switch rule.subject {
        case .device(let id):
            try values("SELECT key FROM device WHERE id = ? AND NOT removed", id, as: DeviceKey.self)
        case .group(let name):
            try values(
                """
                SELECT key FROM device
                WHERE NOT removed AND EXISTS (SELECT 1 FROM json_each(groups) WHERE value = ?) ORDER BY id
                """, name, as: DeviceKey.self)
        }
    }

    /// The active geofences that a rule is about.
    func geofences(of rule: PresenceRule) throws(Problem) -> [FenceKey] {
        switch rule.geofences {
        case .geofence(let id): try geofenceKey(id: id).flatMap { $0.isActive ? [$0.key] : nil } ?? []
        case .label(let name):
            try values(
                """
                SELECT key FROM geofence INDEXED BY geofence_labels WHERE to_revision IS NULL AND labels IS NOT NULL AND active
                AND EXISTS (SELECT 1 FROM json_each(labels) WHERE value = ?) ORDER BY key
                """, name, as: FenceKey.self)
        }
    }

    /// Whether a presence rule applies to any device at any geofence.
    func hasAssignments(_ rule: RuleKey) throws(Problem) -> Bool {
        try hasRow("SELECT 1 FROM presence_rule_target WHERE rule = ? LIMIT 1", rule.value)
    }

    /// Ends the application of a presence rule to a device at a geofence.
    func remove(_ assignment: RuleAssignment, in transaction: borrowing Transaction) throws(Problem) {
        try execute(
            "DELETE FROM presence_rule_target WHERE rule = ? AND device = ? AND geofence = ?", assignment.rule.value,
            assignment.device.value, Int64(assignment.fence.value), in: transaction)
    }
}
