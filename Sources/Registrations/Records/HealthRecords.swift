import Core
import Model
import Reconciler
import SQLite
import Store

// The health of the registrations of devices, and their repairs.

extension PicketStore {
    /// The ids, ascending, of the devices whose registrations the service repairs automatically. Devices with their own app are not
    /// among them, because that app repairs its own registrations.
    func autoRepairedDevices() throws(Problem) -> [String] {
        try values(
            "SELECT id FROM device WHERE auto_repair = 1 AND registry IN ('simulated', 'owntracks') AND NOT removed ORDER BY id",
            as: String.self)
    }

    /// Stores the report of a repair.
    func append(
        _ report: RepairOutcome, of device: DeviceKey, at now: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        try execute(
            "INSERT INTO repair (device, finished_at, report) VALUES (?, ?, ?)",
            device.value, now.milliseconds, RepairRecord(report).json.description, in: transaction)
    }

    /// Whether the health or its summary differs from the last stored one of the device.
    func hasHealthChanged(_ status: GeofenceHealthStatus, of device: DeviceKey) throws(Problem) -> Bool {
        guard let last = try lastHealth(of: device) else { return true }
        return last.isHealthy != status.isHealthy || last.summary.description != status.statusSummary
    }

    /// Stores the health of a device's registrations if it has changed.
    func append(
        _ status: GeofenceHealthStatus, of device: DeviceKey, at now: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        guard try hasHealthChanged(status, of: device) else { return }
        try execute(
            "INSERT INTO health (device, at, is_healthy, summary) VALUES (?, ?, ?, ?)",
            device.value, now.milliseconds, status.isHealthy, status.summary.phrase.columnText, in: transaction)
    }
}
