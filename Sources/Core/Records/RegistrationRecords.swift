import Model
import Reconciler
import SQLite
import Store

extension PicketStore {
    /// The journal of a device's registrations; empty if there is none, and `RegistryJournal.replacingDamaged` if it cannot be read.
    package func journal(of device: DeviceKey) throws(Problem) -> RegistryJournal { try readJournal(of: device).journal }

    /// The journal of a device's registrations, and why it could not be read; see `journal(of:)`.
    func readJournal(of device: DeviceKey) throws(Problem) -> (journal: RegistryJournal, flaw: Phrase?) {
        let text = try firstValue("SELECT journal FROM registry_journal WHERE device = ?", device.value, as: String.self)
        guard let text else { return (RegistryJournal(), nil) }
        let json: JSONValue
        do throws(JSONParser.Failure) {
            json = try JSONParser.parse(text)
        } catch {
            return (.replacingDamaged, .notJSON(error.reason))
        }
        do throws(Problem) {
            return (try RegistryJournal(json: json), nil)
        } catch {
            guard case .decodingFailed(_, _, let reason) = error else { throw error }
            return (.replacingDamaged, reason)
        }
    }

    /// Keeps the stored journal of a device, which cannot be read, in its own table, and begins a new one. An earlier damaged
    /// journal is replaced.
    func setAsideJournal(of device: DeviceKey, at now: Instant, in transaction: borrowing Transaction) throws(Problem) {
        try execute(
            """
            INSERT OR REPLACE INTO damaged_registry_journal (device, set_aside_at, journal)
            SELECT device, ?, journal FROM registry_journal WHERE device = ?
            """, now.milliseconds, device.value, in: transaction)
        try save(RegistryJournal.replacingDamaged, of: device, in: transaction)
    }

    /// Saves the journal of a device's registrations.
    package func save(_ journal: RegistryJournal, of device: DeviceKey, in transaction: borrowing Transaction) throws(Problem) {
        healthChanged?(device)
        try execute(
            "INSERT OR REPLACE INTO registry_journal VALUES (?, ?)", device.value, journal.json.description, in: transaction)
    }

    /// Calls `body` with the reports of a device's repairs, the newest first. Reads in pieces; see `forEachInPieces(from:_:_:)`.
    package func forEachRepair(of device: DeviceKey, _ body: (RepairRecord) throws(Problem) -> Void) throws(Problem) {
        try forEachInPieces(
            from: Int64.max,
            { last, piece throws(Problem) in
                let limit = min(piece.limit.items, 100)
                let reports = try repairs(of: device, before: last, limit: limit)
                for (number, report) in reports where piece.add(report) { return number }
                return reports.count < limit ? nil : reports.last?.number
            }, body)
    }

    /// The newest reports of a device's repairs before a number, each with its number.
    ///
    /// - Parameter number: Return only reports before this number; nil for all.
    package func repairs(
        of device: DeviceKey, before number: Int64?, limit: Int
    ) throws(Problem) -> [(number: Int64, report: RepairRecord)] {
        try rows(
            "SELECT number, report FROM repair WHERE device = ? AND number < ? ORDER BY number DESC LIMIT ?", device.value,
            number ?? Int64.max, limit, as: Int64.self, String.self
        ).map { number, report throws(Problem) in (number: number, report: RepairRecord(json: try json(report))) }
    }

    /// The last stored health of a device's registrations; nil if none was stored.
    package func lastHealth(of device: DeviceKey) throws(Problem) -> (isHealthy: Bool?, summary: Phrase)? {
        try firstRow(
            "SELECT is_healthy, summary FROM health WHERE device = ? ORDER BY number DESC LIMIT 1", device.value,
            as: Bool?.self, Phrase.self
        ).map { (isHealthy: $0.0, summary: $0.1) }
    }

    /// The changes of a device's health, the newest first.
    package func healthHistory(of device: DeviceKey) throws(Problem) -> [(at: Instant, isHealthy: Bool?, summary: Phrase)] {
        try rows(
            "SELECT at, is_healthy, summary FROM health WHERE device = ? ORDER BY number DESC", device.value,
            as: Instant.self, Bool?.self, Phrase.self
        ).map { (at: $0, isHealthy: $1, summary: $2) }
    }

    /// The ids of the geofences that a device is in.
    func openVisits(of device: DeviceKey) throws(Problem) -> Set<String> {
        try writePendingStates(of: device)
        return Set(
            try values(
                """
                SELECT g.id FROM presence p JOIN geofence g ON g.key = p.geofence AND g.to_revision IS NULL
                WHERE p.device = ? AND p.entered_at IS NOT NULL
                """, device.value, as: String.self))
    }

    /// Removes the report of an app about its regions.
    package func removeReport(of device: DeviceKey, in transaction: borrowing Transaction) throws(Problem) {
        healthChanged?(device)
        try execute("DELETE FROM registry_report WHERE device = ?", device.value, in: transaction)
    }

    /// Whether a device of the platform has a registry.
    func hasManagedDevice(of platform: Device.Platform) throws(Problem) -> Bool {
        try hasRow("SELECT 1 FROM device WHERE platform = ? AND registry <> 'none' AND NOT removed LIMIT 1", platform.rawValue)
    }
}
