import Core
import Model
import SQLite
import Store

// Edits of presence rules, and of the devices that each rule applies to.

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

    /// Whether a presence rule applies to any device.
    func hasAssignments(_ rule: RuleKey) throws(Problem) -> Bool {
        try hasRow("SELECT 1 FROM presence_rule_device WHERE rule = ? LIMIT 1", rule.value)
    }

    /// Ends the application of a presence rule to a device.
    func remove(_ rule: RuleKey, of device: DeviceKey, in transaction: borrowing Transaction) throws(Problem) {
        try execute("DELETE FROM presence_rule_device WHERE rule = ? AND device = ?", rule.value, device.value, in: transaction)
    }
}
