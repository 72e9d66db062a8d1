import Core
import Model
import Store

/// A message of a device other than a position, such as a reported enter or exit. It is kept for comparison and for the device's health,
/// and produces no event.
package struct Evidence: Sendable {
    var deviceId: String
    /// When the message's event happened by the device's clock; nil if the device does not say.
    var time: Instant?
    /// A JSON object as the device sent it.
    var json: String

    package init(deviceId: String, time: Instant?, json: String) {
        self.deviceId = deviceId
        self.time = time
        self.json = json
    }
}

extension ServiceWriter {
    /// Stores messages of devices, and records them as signs of life. A message of an unknown device creates the device, as a position
    /// does; a sign of life alone does not.
    ///
    /// - Parameter heard: The devices that gave a sign of life without a message to store.
    package func store(_ evidence: [Evidence], signsOfLife heard: [String]) throws(Problem) {
        let now = clock.now()
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            for item in evidence {
                let deviceIndex = try loadOrCreateDevice(of: item.deviceId, in: transaction)
                try store.appendEvidence(
                    item.json, of: loadedDevices[deviceIndex].key, at: min(item.time ?? now, now), receivedAt: now,
                    in: transaction)
            }
            for id in Set(evidence.map(\.deviceId) + heard).sorted() {
                try recordSignOfLife(deviceId: id, at: now, in: transaction)
            }
        }
    }
}
