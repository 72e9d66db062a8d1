import Core
import Model
import Store

extension Queries {
    package typealias RefusedDevice = PicketStore.RefusedDevice

    /// The refused devices, newest first.
    package func refusedDevices() throws(Problem) -> [RefusedDevice] {
        guard hasStore else { return [] }
        return try store.refusedDevices()
    }
}

extension ServiceWriter {
    /// Refuses a device that reports without a token: it is no longer listed as waiting. A client with a token for all devices can still
    /// report for it.
    ///
    /// - Throws: `Problem.validationFailed` if the text is not a valid device id.
    package func refuseDevice(_ id: String) throws(Problem) {
        if let reason = Identifier.flaw(inDevice: id) {
            throw .validationFailed(field: "id", value: id, reason: reason, expected: Phrase("the id of a device"))
        }
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.refuse(device: id, at: clock.now(), in: transaction)
        }
    }

    /// Accepts a refused device again. Does nothing if the device was not refused.
    package func acceptDevice(_ id: String) throws(Problem) {
        try transaction { (transaction: borrowing Transaction) throws(Problem) in try store.readmit(device: id, in: transaction) }
    }
}

extension PicketStore.RefusedDevice: JSONDescribed {
    package static let shape = JSONShape<PicketStore.RefusedDevice>(
        "RefusedDevice", summary: "A device that a person has refused",
        .init("deviceId", kind: .text, summary: "The id that the device reports", content: \.deviceId),
        .init("refusedAt", kind: .time, summary: "When it was refused", content: \.refusedAt)
    ) { deviceId, refusedAt in PicketStore.RefusedDevice(deviceId: deviceId, refusedAt: refusedAt) }
}
