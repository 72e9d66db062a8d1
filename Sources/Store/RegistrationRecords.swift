import Model
import Reconciler
import SQLite

extension RegionStore {
    /// What Picket knows of a device's registrations.
    package func journal(of device: DeviceKey) throws(Problem) -> RegistryJournal {
        let text: String? = try attempt { () throws(SQLiteError) in
            let row = try connection.statement("SELECT journal FROM registry_journal WHERE device = ?")
            row.bind(1, device.value)
            return try row.value(String.self)
        }
        guard let text else { return RegistryJournal() }
        return try RegistryJournal(json: json(text))
    }

    /// Returns when it is on disk.
    package func save(_ journal: RegistryJournal, of device: DeviceKey) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("INSERT OR REPLACE INTO registry_journal VALUES (?, ?)")
            row.bind(1, device.value)
            row.bind(2, journal.json.description)
            try row.run()
        }
    }

    /// Keeps what a repair found, did and left.
    package func append(_ report: RepairReport, of device: DeviceKey, at now: Instant) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("INSERT INTO repair (device, finished_at, report) VALUES (?, ?, ?)")
            row.bind(1, device.value)
            row.bind(2, now.milliseconds)
            row.bind(3, RepairRecord(report).json.description)
            try row.run()
        }
    }

    /// Calls `body` with the reports of a device's repairs, the newest first.
    package func forEachRepair(of device: DeviceKey, _ body: (RepairRecord) throws(Problem) -> Void) throws(Problem) {
        let row = try attempt { () throws(SQLiteError) in
            try connection.freshStatement("SELECT report FROM repair WHERE device = ? ORDER BY number DESC")
        }
        row.bind(1, device.value)
        while let report = try next(String.self, of: row) { try body(RepairRecord(json: try json(report))) }
    }

    /// The newest reports of a device's repairs before one, each with its number.
    package func repairs(
        of device: DeviceKey, before number: Int64?, limit: Int
    ) throws(Problem) -> [(number: Int64, report: RepairRecord)] {
        let row = try attempt { () throws(SQLiteError) in
            try connection.statement(
                "SELECT number, report FROM repair WHERE device = ? AND number < ? ORDER BY number DESC LIMIT ?")
        }
        defer { row.reset() }
        row.bind(1, device.value)
        row.bind(2, number ?? Int64.max)
        row.bind(3, limit)
        var found: [(number: Int64, report: RepairRecord)] = []
        while let (number, report) = try next(Int64.self, String.self, of: row) {
            found.append((number, RepairRecord(json: try json(report))))
        }
        return found
    }

    /// Whether a device's registrations are not as healthy, or not in the same way, as was last kept.
    package func isNews(_ status: GeofenceHealthStatus, of device: DeviceKey) throws(Problem) -> Bool {
        guard let last = try lastHealth(of: device) else { return true }
        return last.isHealthy != status.isHealthy || last.summary != status.statusSummary
    }

    /// How healthy a device's registrations were when that was last kept; nil when it never was.
    package func lastHealth(of device: DeviceKey) throws(Problem) -> (isHealthy: Bool?, summary: String)? {
        try attempt { () throws(SQLiteError) in
            let last = try connection.statement(
                "SELECT is_healthy, summary FROM health WHERE device = ? ORDER BY number DESC LIMIT 1")
            last.bind(1, device.value)
            return try last.first(Bool?.self, String.self).map { (isHealthy: $0.0, summary: $0.1) }
        }
    }

    /// Keeps how healthy a device's registrations are, when that has changed.
    package func append(_ status: GeofenceHealthStatus, of device: DeviceKey, at now: Instant) throws(Problem) {
        guard try isNews(status, of: device) else { return }
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("INSERT INTO health (device, at, is_healthy, summary) VALUES (?, ?, ?, ?)")
            row.bind(1, device.value)
            row.bind(2, now.milliseconds)
            row.bind(3, status.isHealthy.map { $0 ? 1 : 0 as Int64 })
            row.bind(4, status.statusSummary)
            try row.run()
        }
    }

    /// How healthy a device was when, the newest first.
    package func healthHistory(of device: DeviceKey) throws(Problem) -> [(at: Instant, isHealthy: Bool?, summary: String)] {
        try attempt { () throws(SQLiteError) in
            let row = try connection.freshStatement(
                "SELECT at, is_healthy, summary FROM health WHERE device = ? ORDER BY number DESC")
            row.bind(1, device.value)
            var found: [(at: Instant, isHealthy: Bool?, summary: String)] = []
            while let entry = try row.next(Instant.self, Bool?.self, String.self) { found.append(entry) }
            return found
        }
    }

    /// The ids of the geofences that a device is in.
    package func openVisits(of device: DeviceKey) throws(Problem) -> Set<String> {
        try settle(device)
        return try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                """
                SELECT g.id FROM presence p JOIN geofence g ON g.key = p.geofence AND g.to_revision IS NULL
                WHERE p.device = ? AND p.entered_at IS NOT NULL
                """)
            row.bind(1, device.value)
            return Set(try row.values(String.self))
        }
    }

    // MARK: - What an app says itself

    /// Keeps what an app of one's own says of its regions; what it said before is forgotten.
    package func save(report: JSONValue, of device: DeviceKey, at now: Instant) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("INSERT OR REPLACE INTO registry_report VALUES (?, ?, ?)")
            row.bind(1, device.value)
            row.bind(2, now.milliseconds)
            row.bind(3, report.description)
            try row.run()
        }
    }

    /// What an app of one's own last said of its regions, and when; nil when it has not yet.
    package func report(of device: DeviceKey) throws(Problem) -> (report: JSONValue, at: Instant)? {
        let row = try attempt { () throws(SQLiteError) in
            let statement = try connection.statement("SELECT report, received_at FROM registry_report WHERE device = ?")
            statement.bind(1, device.value)
            return try statement.first(String.self, Instant.self)
        }
        guard let (report, receivedAt) = row else { return nil }
        return (try json(report), receivedAt)
    }
}
