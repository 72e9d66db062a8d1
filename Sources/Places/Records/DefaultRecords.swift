import Model
import SQLite
import Store

// Values for devices without their own values.

extension PicketStore {
    /// The values of the settings, and those of each group that has any.
    func deviceDefaults() throws(Problem) -> (general: DeviceDefaults, ofGroups: [String: DeviceDefaults]) {
        var found: [String: DeviceDefaults] = [:]
        for (name, config) in try rows("SELECT name, config FROM device_default", as: String.self, String.self) {
            found[name] = try DeviceDefaults(json: json(config), of: .group)
        }
        return (found.removeValue(forKey: Self.generalDefaults) ?? DeviceDefaults(), found)
    }

    /// The values that a device of these groups inherits.
    func inheritedDefaults(ofGroups groups: [String]) throws(Problem) -> InheritedDefaults {
        var ofGroups: [String: DeviceDefaults] = [:]
        for name in groups where name != Self.generalDefaults { ofGroups[name] = try defaults(ofGroup: name) }
        return InheritedDefaults(groups: groups, general: try defaults(ofGroup: Self.generalDefaults), ofGroups: ofGroups)
    }

    /// The values of a group; those of the settings if the name is empty.
    func defaults(ofGroup name: String) throws(Problem) -> DeviceDefaults {
        let config = try firstValue("SELECT config FROM device_default WHERE name = ?", name, as: String.self)
        return try config.map { config throws(Problem) in try DeviceDefaults(json: json(config), of: .group) }
            ?? DeviceDefaults()
    }

    /// Saves the values of a group; those of the settings if the name is empty. Empty values are removed.
    func save(_ defaults: DeviceDefaults, ofGroup name: String, in transaction: borrowing Transaction) throws(Problem) {
        if defaults.isEmpty {
            try execute("DELETE FROM device_default WHERE name = ?", name, in: transaction)
        } else {
            try execute("INSERT OR REPLACE INTO device_default VALUES (?, ?)", name, defaults.json.description, in: transaction)
        }
    }

    private static let openPatches = "open_group_patches"

    /// The number of changes of groups whose values some devices may not inherit yet.
    func openGroupPatches() throws(Problem) -> Int64 {
        try attempt { () throws(SQLiteError) in try setting(Self.openPatches) }
    }

    func saveOpenGroupPatches(_ count: Int64, in transaction: borrowing Transaction) throws(Problem) {
        try attempt { () throws(SQLiteError) in try saveSetting(Self.openPatches, count, in: transaction) }
    }

    /// The name of the values of the settings, which no group has.
    private static let generalDefaults = ""
}
