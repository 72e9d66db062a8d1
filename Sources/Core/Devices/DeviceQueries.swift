import Model
import Store

extension Queries {
    /// All devices, sorted by id.
    package func devices() throws(Problem) -> [Device] { try store.devices().map(\.device) }

    /// The device with this id. Throws `Problem.notFound` if there is none.
    package func device(id: String) throws(Problem) -> Device { try storedDevice(id: id).device }

    package func hasDevice(id: String) throws(Problem) -> Bool { try store.device(id: id) != nil }

    /// The device with this id and its key. Throws `Problem.notFound` if there is none.
    package func storedDevice(id: String) throws(Problem) -> PicketStore.StoredDevice {
        guard let stored = try store.device(id: id) else { throw try noDevice(id) }
        return stored
    }

    /// The problem that a device does not exist, with similar ids.
    package func noDevice(_ id: String) throws(Problem) -> Problem {
        .notFound(kind: .device, id: id, similar: Suggestions.similar(to: id, among: try store.deviceIDs(like: id)))
    }
}
