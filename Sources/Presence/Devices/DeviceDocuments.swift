import Core
import Model
import Places
import Store

// Devices as JSON documents for network clients.

extension Queries {
    package typealias DeviceFilter = PicketStore.DeviceFilter

    /// At most `limit` devices after an id, sorted by id, each with its newest fix and the geofences that it is inside of.
    ///
    /// - Parameter isCounting: Whether to compute for how long the devices were seen in these geofences, which reads their positions.
    package func deviceStatuses(
        _ filter: DeviceFilter, after id: String?, limit: Int, counting isCounting: Bool = false
    ) throws(Problem) -> Page<DeviceStatus> {
        if let geofence = filter.geofenceId { _ = try self.geofence(id: geofence) }
        return try store.snapshot { () throws(Problem) in
            let found = try addProblemCodes(
                to: store.statuses(filter, after: id, limit: limit + 1, counting: isCounting, at: clock.now()))
            return Page(found, limit: limit, place: \.device.id)
        }
    }

    /// The status of one device.
    ///
    /// - Parameter isCounting: Whether to compute for how long the device was seen in the geofences that it is inside of.
    package func deviceStatus(of id: String, counting isCounting: Bool = false) throws(Problem) -> DeviceStatus {
        try store.snapshot { () throws(Problem) in
            let found = try store.status(of: storedDevice(id: id), counting: isCounting, at: clock.now())
            return try addProblemCodes(to: [found]).first ?? found
        }
    }

    /// Adds the codes of the problems that suggest that a device may be elsewhere: its clock is behind, or two senders use its id.
    func addProblemCodes(to statuses: [DeviceStatus]) throws(Problem) -> [DeviceStatus] {
        let shown = Set(statuses.map(\.device.id))
        var codes: [String: [String]] = [:]
        for prefix in [DeviceProblem.clockBehind, .sharedID].map(\.rawValue) {
            for source in try store.problemSources(startingWith: prefix) {
                let device = String(source.dropFirst(prefix.count))
                guard shown.contains(device), let standing = try store.problem(ofSource: source),
                    !standing.isDismissed(at: clock.now())
                else { continue }
                codes[device, default: []].append(standing.code)
            }
        }
        if codes.isEmpty { return statuses }
        return statuses.map { status in
            var status = status
            status.problemCodes = codes[status.device.id] ?? []
            return status
        }
    }
}

extension ServiceWriter {
    /// Creates a device from JSON.
    ///
    /// - Throws: `Problem.conflict` if the id is already used, and `Problem.validationFailed`.
    package func createDevice(_ json: JSONValue) throws(Problem) -> Device {
        _ = try JSONFields(json, of: .device)
        guard let id = json["id"]?.string else {
            throw .missing("id", .deviceID)
        }
        if try hasDevice(id: id) { throw .conflict(kind: .device, id: id, reason: .alreadyExists) }
        return try saveDevice(json, id: id).device
    }

    /// Creates a device from JSON, or replaces the device with this id. Returns it with the events that follow.
    package func saveDevice(
        _ json: JSONValue, id: String, _ condition: EditCondition = .always
    ) throws(Problem) -> (device: Device, isNew: Bool, events: [Event]) {
        let old = try store.device(id: id)?.device
        try condition.check(kind: .device, id: id, tag: old?.json.tag)
        let device = try inheriting(Device(json: json, id: id))
        return (device, old == nil, old == device ? [] : try save(device))
    }

    /// Updates a device with a merge patch (RFC 7396).
    package func patchDevice(
        _ id: String, with patch: JSONValue, _ condition: EditCondition = .always
    ) throws(Problem) -> Device {
        let old = try device(id: id)
        try condition.check(kind: .device, id: id, tag: old.json.tag)
        let device = try inheriting(old.patched(with: patch))
        if old != device { try save(device) }
        return device
    }

    /// Removes a device; see `removeDevice(id:)`.
    package func removeDevice(_ id: String, _ condition: EditCondition) throws(Problem) -> [Event] {
        try condition.check(kind: .device, id: id, tag: try device(id: id).json.tag)
        return try removeDevice(id: id)
    }
}
