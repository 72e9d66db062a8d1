import Core
import Model
import Places
import Presence

/// What the service reads from the store when it starts: the identity of the store, and who may use the service.
struct StoredAccess {
    let identity: StoreIdentity
    let epochs: StoreEpochs
    let accessList: AccessList
    let storeSecret: String
    let mqttClientID: String
    /// The ids of the devices that a person has refused.
    let refusedDevices: [String]

    init(_ reader: Queries) throws(Problem) {
        identity = try reader.identity()
        epochs = try reader.epochs()
        accessList = try reader.accessList()
        storeSecret = try reader.storeSecret()
        mqttClientID = try reader.mqttClientID()
        refusedDevices = try reader.refusedDevices().map(\.deviceId)
    }
}
