import Model
import SQLite

/// The devices that a client with a restricted token may see, as of the beginning of its request.
package struct VisibleDevices: Sendable {
    /// The ids of the scope, whether such devices exist or not, and those of the members of its groups.
    let ids: Set<String>
    /// The groups of the scope, and those to which a visible device belongs.
    let groups: Set<String>

    /// A geofence without the devices that are not visible; nil when the geofence is for such devices only.
    package func visible(_ geofence: Geofence) -> Geofence? {
        if geofence.devices.isEmpty, geofence.groups.isEmpty { return geofence }
        var visible = geofence
        visible.devices.removeAll { !ids.contains($0) }
        return visible.devices.isEmpty && groups.isDisjoint(with: geofence.groups) ? nil : visible
    }

    /// A geofence with a placeholder for all devices that are not visible, which applies to the same visible devices.
    package func masked(_ geofence: Geofence) -> Geofence {
        var masked = geofence
        masked.devices.removeAll { !ids.contains($0) }
        if masked.devices.count < geofence.devices.count { masked.devices.append(Self.placeholder) }
        return masked
    }

    private static let placeholder = "…"

    /// Whether a rule is about a visible device, or about a group with one.
    package func contains(_ rule: PresenceRule) -> Bool {
        switch rule.subject {
        case .device(let id): ids.contains(id)
        case .group(let name): groups.contains(name)
        }
    }
}

extension PicketStore {
    /// Runs `body` while this connection sees only the devices of a scope, and only data of them: devices outside of the scope do not exist
    /// for it. Sinks do not exist for it at all, because they are sent events of every device.
    ///
    /// Temporary views replace the tables: SQLite finds a temporary view before a table of the same name
    /// (https://www.sqlite.org/lang_naming.html). All other tables with data of devices are reached by the key of a device.
    ///
    /// - Complexity: O(devices) with a group in the scope, else O(devices of the scope).
    package func withDevices<Result>(
        of scope: DeviceScope, _ body: () throws(Problem) -> Result
    ) throws(Problem) -> Result {
        // Set before the first view is made, so that a failure to remove the views is noticed.
        visibility = VisibleDevices(ids: [], groups: [])
        do throws(Problem) {
            visibility = try show(scope)
            let result = try body()
            try showAll()
            return result
        } catch {
            try showAll()
            throw error
        }
    }

    private func show(_ scope: DeviceScope) throws(Problem) -> VisibleDevices {
        try createVisibleViews(scope)
        var (ids, groups) = (scope.devices, scope.groups)
        for (id, list) in try rows("SELECT id, groups FROM device", as: String.self, String?.self) {
            ids.insert(id)
            groups.formUnion(try self.list(list))
        }
        return VisibleDevices(ids: ids, groups: groups)
    }

    private func createVisibleViews(_ scope: DeviceScope) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            try connection.execute(
                "CREATE TEMP TABLE IF NOT EXISTS visible_device (key INTEGER PRIMARY KEY); DELETE FROM temp.visible_device")
            try connection.statement(
                "INSERT INTO temp.visible_device SELECT key FROM main.device WHERE id IN (SELECT value FROM json_each(?))",
                Self.jsonList(scope.devices)
            ).run()
            if !scope.groups.isEmpty {
                try connection.statement(
                    """
                    INSERT OR IGNORE INTO temp.visible_device SELECT key FROM main.device WHERE NOT removed AND groups IS NOT NULL
                    AND EXISTS (SELECT 1 FROM json_each(groups) WHERE value IN (SELECT value FROM json_each(?)))
                    """, Self.jsonList(scope.groups)
                ).run()
            }
            for (table, condition) in Self.visibleRows {
                try connection.execute("CREATE TEMP VIEW \(table) AS SELECT * FROM main.\(table) WHERE \(condition)")
            }
        }
    }

    /// The rows of tables that remain visible.
    private static let visibleRows = [
        ("device", "key IN (SELECT key FROM temp.visible_device)"),
        ("alarm", "device IN (SELECT key FROM temp.visible_device)"),
        (
            "problem",
            """
            (\(DeviceProblem.allCases.map { "source LIKE '\($0.rawValue)%'" }.joined(separator: " OR ")))
            AND substr(source, instr(source, '/') + 1) IN (SELECT id FROM device)
            """
        ),
        ("sink", "false"),
    ]

    private func showAll() throws(Problem) {
        try attempt { () throws(SQLiteError) in
            for (table, _) in Self.visibleRows { try connection.execute("DROP VIEW IF EXISTS temp.\(table)") }
        }
        visibility = nil
    }

    /// The texts as a JSON list, for the SQL function `json_each`.
    package static func jsonList(_ names: some Sequence<String>) -> String {
        JSONValue.array(names.sorted().map(JSONValue.string)).description
    }

    /// The newest event of a visible device; 0 without one.
    func newestVisibleSequence() throws(SQLiteError) -> Int64 {
        try connection.value(
            of: "SELECT max((SELECT max(sequence) FROM event_by_device WHERE device = device.key)) FROM device") ?? 0
    }
}
