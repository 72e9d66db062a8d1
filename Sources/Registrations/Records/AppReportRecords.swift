import Model
import SQLite
import Store

// The reports of apps about their regions.

extension PicketStore {
    /// Saves the report of an app about its regions, in place of the previous report.
    func save(report: JSONValue, of device: DeviceKey, at now: Instant, in transaction: borrowing Transaction) throws(Problem) {
        healthChanged?(device)
        try execute(
            """
            INSERT INTO registry_report (device, received_at, report) VALUES (?, ?, ?)
            ON CONFLICT (device) DO UPDATE SET received_at = excluded.received_at, report = excluded.report
            """, device.value, now.milliseconds, report.description, in: transaction)
    }

    /// A loss of all regions that the report of an app lists.
    struct RegionLoss: Hashable, Sendable {
        var at: Instant
        /// Whether the app has got the operations that register its regions again.
        var isAnswered = false
    }

    /// Saves with an app's report that its regions were lost, or that they were not.
    func save(loss: RegionLoss?, of device: DeviceKey, in transaction: borrowing Transaction) throws(Problem) {
        healthChanged?(device)
        try execute(
            "UPDATE registry_report SET lost_at = ?, is_loss_answered = ? WHERE device = ?",
            loss?.at.milliseconds, loss?.isAnswered == true, device.value, in: transaction)
    }

    /// The loss that is saved with an app's report; nil if there is none.
    func regionLoss(of device: DeviceKey) throws(Problem) -> RegionLoss? {
        try firstRow(
            "SELECT lost_at, is_loss_answered FROM registry_report WHERE device = ? AND lost_at IS NOT NULL", device.value,
            as: Instant.self, Bool.self
        ).map { RegionLoss(at: $0.0, isAnswered: $0.1) }
    }

    /// The last report of an app about its regions and the time of receipt; nil if there is none.
    func report(of device: DeviceKey) throws(Problem) -> (report: JSONValue, at: Instant)? {
        let row = try firstRow(
            "SELECT report, received_at FROM registry_report WHERE device = ?", device.value, as: String.self, Instant.self)
        guard let (report, receivedAt) = row else { return nil }
        return (try json(report), receivedAt)
    }
}
