import Model
import Store

extension Queries {
    public typealias RefusedDevice = RegionStore.RefusedDevice

    /// The devices that were refused, the newest first.
    public func refusedDevices() throws(Problem) -> [RefusedDevice] {
        guard hasStore else { return [] }
        return try store.refusedDevices()
    }
}

extension ServiceWriter {
    /// Refuses a device that reports without a token: it is shown no longer among those that wait. Whoever has a token for any device
    /// may report for it all the same.
    ///
    /// - Throws: `Problem.validationFailed` for what cannot name a device.
    public func refuse(device id: String) throws(Problem) {
        if let reason = Identifier.flaw(inDevice: id) {
            throw .validationFailed(field: "id", value: id, reason: reason, expected: "the id of a device")
        }
        try transaction { () throws(Problem) in try store.refuse(device: id, at: clock.now()) }
    }

    /// Refuses a device no longer. One that was not refused stays as it is.
    public func readmit(device id: String) throws(Problem) {
        try transaction { () throws(Problem) in try store.readmit(device: id) }
    }
}

extension RegionStore.RefusedDevice {
    /// `{"deviceId","refusedAt"}`
    public var json: JSONValue { ["deviceId": .string(deviceId), "refusedAt": JSONValue(refusedAt)] }
}
