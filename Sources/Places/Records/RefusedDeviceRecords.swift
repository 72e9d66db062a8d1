import Model
import SQLite
import Store

// Devices that report without a token and that a person has removed from the list of unknown devices.

extension PicketStore {
    /// A device that a person has refused.
    package struct RefusedDevice: Hashable, Sendable {
        /// The name that the device gives itself, which need not be that of a known device.
        package var deviceId: String
        var refusedAt: Instant
    }

    /// The refused devices, the last refused first.
    func refusedDevices() throws(Problem) -> [RefusedDevice] {
        try rows("SELECT \(RefusedDevice.columns) FROM refused_device ORDER BY refused_at DESC, device", as: RefusedDevice.self)
    }

    /// Refuses a device. If the device is already refused, nothing changes.
    func refuse(device id: String, at now: Instant, in transaction: borrowing Transaction) throws(Problem) {
        try execute("INSERT OR IGNORE INTO refused_device VALUES (?, ?)", id, now.milliseconds, in: transaction)
    }

    /// Ends the refusal of a device. If the device is not refused, nothing changes.
    func readmit(device id: String, in transaction: borrowing Transaction) throws(Problem) {
        try execute("DELETE FROM refused_device WHERE device = ?", id, in: transaction)
    }
}

extension PicketStore.RefusedDevice: Row {
    @usableFromInline package static let columns = "device, refused_at"

    @usableFromInline package init(_ row: inout ColumnReader) {
        deviceId = row.next()
        refusedAt = row.next()
    }
}
