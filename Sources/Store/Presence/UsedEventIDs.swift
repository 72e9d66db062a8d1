import Model

/// The ids of all events of a device. A caller that appends many events of the device reads them once, instead of a search for each event.
package final class UsedEventIDs {
    private var ids: Set<String>

    init(_ ids: Set<String>) { self.ids = ids }

    /// Adds an id.
    ///
    /// - Returns: False if an event already has it.
    func add(_ id: String) -> Bool { ids.insert(id).inserted }
}

extension PicketStore {
    /// The ids of all events of a device.
    ///
    /// - Complexity: O(events of the device + events that are in no index yet).
    package func usedEventIDs(of device: DeviceKey) throws(Problem) -> UsedEventIDs {
        try indexAllEvents()
        let ids = try values(
            "SELECT e.id FROM event_by_device o CROSS JOIN event e ON e.sequence = o.sequence WHERE o.device = ?", device.value,
            as: String.self)
        return UsedEventIDs(Set(ids))
    }
}
