import Model
import SQLite
import Store

// The status of devices, from their stored states.

extension PicketStore {
    /// The status of a device: its newest fix and the geofences that it is in.
    package struct DeviceStatus: Sendable {
        package var device: Device
        /// Nil if the device has sent no fix yet.
        package var newest: Fix?
        /// Whether `newest` is an outlier candidate, which counts only after the next fix confirms it.
        package var isOutlierCandidate: Bool
        /// The newest fix that is not an outlier candidate; nil if there is none.
        package var newestTrusted: Fix?
        /// The visits to the geofences that the device is in, ordered by the geofence's id. `seenSeconds` is nil if it was not requested.
        package var inside: [Visit]
        /// When the device was last heard from, if it is silent; else nil.
        package var silentSince: Instant?
        /// When the device last sent a message, with or without a position; nil before the first position.
        package var lastHeard: Instant?
        /// The positions that are not evaluated yet; nil if all are.
        package var unevaluated: UnevaluatedPositions?
        /// The codes of the device's open problems that may make its place wrong.
        package var problemCodes: [String] = []

        package init(
            device: Device, newest: Fix?, isOutlierCandidate isDoubted: Bool = false, newestTrusted believed: Fix? = nil,
            inside: [Visit],
            silentSince: Instant? = nil, unevaluated: UnevaluatedPositions?
        ) {
            self.device = device
            self.newest = newest
            self.isOutlierCandidate = isDoubted
            self.newestTrusted = believed
            self.inside = inside
            self.silentSince = silentSince
            self.unevaluated = unevaluated
        }
    }

    /// The status of devices, ordered by id.
    ///
    /// - Parameters:
    ///   - deviceId: Return only this device; nil for all.
    ///   - geofenceId: Return only devices in this geofence; nil for all.
    ///   - isCounting: Whether visits include for how long the device was seen in their geofences.
    ///   - now: The current time.
    package func statuses(
        deviceId: String?, geofenceId: String? = nil, counting isCounting: Bool, at now: Instant
    ) throws(Problem) -> [DeviceStatus] {
        try writePendingStates()
        var found: [DeviceStatus] = []
        let wanted = try devices().filter { deviceId == nil || $0.device.id == deviceId }
        let sightings = isCounting ? try Sightings(self, of: deviceId == nil ? nil : wanted.first?.key) : nil
        for stored in wanted {
            let whereabouts = try status(of: stored, at: now, sightings: sightings)
            if let geofenceId, !whereabouts.inside.contains(where: { $0.geofenceId == geofenceId }) { continue }
            found.append(whereabouts)
        }
        return found
    }

    /// The status of the first devices, by id, after an id.
    ///
    /// - Parameters:
    ///   - isCounting: Whether visits include for how long the device was seen in their geofences.
    ///   - now: The current time.
    package func statuses(
        _ filter: DeviceFilter, after id: String?, limit: Int, counting isCounting: Bool, at now: Instant
    ) throws(Problem) -> [DeviceStatus] {
        try writePendingStates()
        let sightings = isCounting ? try Sightings(self) : nil
        return try devices(filter, after: id, limit: limit).map { stored throws(Problem) in
            try status(of: stored, at: now, sightings: sightings)
        }
    }

    /// The status of a device: its newest fix and the geofences that it is in.
    ///
    /// - Parameters:
    ///   - isCounting: Whether visits include for how long the device was seen in their geofences.
    ///   - now: The current time.
    package func status(of stored: StoredDevice, counting isCounting: Bool, at now: Instant) throws(Problem) -> DeviceStatus {
        try writePendingStates(of: stored.key)
        return try status(of: stored, at: now, sightings: isCounting ? try Sightings(self, of: stored.key) : nil)
    }

    /// The status of a device: its newest fix and the geofences that it is in.
    ///
    /// - Parameter sightings: Used to compute for how long the device was seen in these geofences; nil to leave that out.
    func status(of stored: StoredDevice, at now: Instant, sightings: Sightings?) throws(Problem) -> DeviceStatus {
        var whereabouts = try storedStatus(of: stored, at: now)
        guard let sightings, !whereabouts.inside.isEmpty else { return whereabouts }
        let subject = Sightings.SightedDevice(key: stored.key, silentAfter: stored.device.silentAfter)
        for index in whereabouts.inside.indices {
            try complete(&whereabouts.inside[index], of: subject, sightings: sightings, at: now)
        }
        return whereabouts
    }

    /// The status of a device from its stored state alone, without the times for which it was seen.
    private func storedStatus(of stored: StoredDevice, at now: Instant) throws(Problem) -> DeviceStatus {
        let unevaluated = try unevaluatedPositions(of: stored.key)
        let state = try firstRow(
            "SELECT \(LastHeardRow.columns) FROM device_state WHERE device = ?", stored.key.value, as: LastHeardRow.self)
        guard let state else { return DeviceStatus(device: stored.device, newest: nil, inside: [], unevaluated: unevaluated) }
        var whereabouts = DeviceStatus(
            device: stored.device, newest: state.suspect ?? state.believed, isOutlierCandidate: state.suspect != nil,
            newestTrusted: state.believed, inside: [], silentSince: state.isSilent ? state.heardAt : nil,
            unevaluated: unevaluated)
        whereabouts.lastHeard = state.heardAt
        let visits = try rows(
            """
            SELECT g.id, g.name, p.entered_at, p.enter_cause
            FROM presence p JOIN geofence g ON g.key = p.geofence AND g.to_revision IS NULL
            WHERE p.device = ? AND p.entered_at IS NOT NULL ORDER BY g.id
            """, stored.key.value, as: String.self, String.self, Instant.self, String.self)
        for (geofenceId, geofenceName, enteredAt, cause) in visits {
            var visit = Visit(
                deviceId: stored.device.id, geofenceId: geofenceId, geofenceName: geofenceName, enteredAt: enteredAt,
                exitedAt: nil, enterCause: Cause(rawValue: cause) ?? .moved, exitCause: nil,
                lastSeenAt: state.seenAt >= enteredAt ? state.seenAt : nil)
            visit.updateNotSeenSince(silentAfter: stored.device.silentAfter, at: now)
            whereabouts.inside.append(visit)
        }
        return whereabouts
    }

    /// The columns of a stored state from which a device's status is made.
    private struct LastHeardRow: Row {
        static let columns = """
            \(Fix.columns), is_silent, \(PicketStore.heardAtExpression), \(Fix.columns(after: "suspect_")), \(PicketStore.seenAtExpression)
            """

        var believed: Fix
        var isSilent: Bool
        var heardAt: Instant
        var suspect: Fix?
        var seenAt: Instant

        init(_ row: inout ColumnReader) {
            believed = row.next()
            isSilent = row.next()
            heardAt = row.next()
            suspect = row.nextUnlessNull()
            seenAt = row.next()
        }
    }
}
