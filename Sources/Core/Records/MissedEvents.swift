import Model
import Monitor
import SQLite
import Store

// The stays by which presence rules are evaluated, and the missed events that result.

extension PicketStore {
    /// A missed event that was not retracted.
    struct RecordedMissedEvent: Sendable {
        var id: String
        var miss: RuleMiss
        /// The revision of the geofences.
        var revision: Int64
    }

    /// Adds to stays of a device for how long it was seen.
    ///
    /// - Parameter shortest: The number of seconds from which a stay is long enough.
    /// - Complexity: For each stay as `Sightings.seconds`.
    func addSeen(to stays: inout [TimeInside], of stored: StoredDevice, atLeast shortest: Double) throws(Problem) {
        if stays.isEmpty { return }
        let sightings = try Sightings(self, of: stored.key)
        let subject = Sightings.SightedDevice(key: stored.key, silentAfter: stored.device.silentAfter)
        for index in stays.indices {
            let stay = stays[index]
            let elapsed = (stay.exitedAt ?? stay.enteredAt) - stay.enteredAt
            // The device was not seen for longer than the stay took.
            if elapsed < shortest {
                stays[index].seenSeconds = elapsed
                continue
            }
            let visit = Visit(
                deviceId: stored.device.id, geofenceId: "", geofenceName: "", enteredAt: stay.enteredAt,
                exitedAt: stay.exitedAt, enterCause: .moved, exitCause: .moved)
            stays[index].seenSeconds = try sightings.seconds(of: subject, in: visit)
        }
    }

    /// The stays of a device that ended at or after a moment, by geofence, ordered by time.
    func endedStays(of device: DeviceKey, since moment: Instant) throws(Problem) -> [FenceKey: [TimeInside]] {
        try indexAllEvents()
        let stays = try rows(
            """
            SELECT e.geofence, e.entered_at, e.occurred_at, e.cause FROM exit_by_device o CROSS JOIN event e ON e.sequence = o.sequence
            WHERE o.device = ? AND o.occurred_at >= ? AND \(Self.isNotRetracted("e"))
            ORDER BY e.occurred_at, e.entered_at
            """, device.value, moment.milliseconds, as: FenceKey.self, Instant?.self, Instant.self, String.self)
        return stays.reduce(into: [:]) { found, row in
            let (fence, enteredAt, exitedAt, cause) = row
            found[fence, default: []].append(
                TimeInside(
                    enteredAt: enteredAt ?? exitedAt, exitedAt: exitedAt,
                    endedByEdit: [Cause.fenceChanged, .fenceRemoved, .deviceRemoved].contains { $0.rawValue == cause }))
        }
    }

    /// The missed events of a rule and a device from a moment on that were not retracted, by geofence, ordered by time.
    ///
    /// - Parameter grace: The grace period of the rule in seconds; see `RuleMiss.dueAt`.
    func unretractedMisses(
        of rule: RuleKey, device: DeviceKey, since moment: Instant, grace: Double
    ) throws(Problem) -> [FenceKey: [RecordedMissedEvent]] {
        let misses = try rows(
            """
            SELECT e.geofence, e.id, e.occurred_at, e.entered_at, e.revision FROM event_rule m JOIN event e USING (sequence)
            WHERE m.device = ? AND m.rule = ? AND m.occurred_at >= ? AND e.type = 'missed' AND \(Self.isNotRetracted("e"))
            ORDER BY m.occurred_at, e.sequence
            """, device.value, rule.value, moment.milliseconds,
            as: FenceKey.self, String.self, Instant.self, Instant?.self, Int64.self)
        return misses.reduce(into: [:]) { found, row in
            let (fence, id, occurredAt, enteredAt, revision) = row
            found[fence, default: []].append(
                RecordedMissedEvent(
                    id: id, miss: RuleMiss(occurredAt: occurredAt, dueAt: occurredAt + grace, enteredAt: enteredAt),
                    revision: revision))
        }
    }

    /// Stores the rule of a missed event, or of the retraction of one. This must be called in the transaction that appends the event.
    func append(
        _ rule: MissedRule, _ key: RuleKey, to event: Event, of device: DeviceKey, in transaction: borrowing Transaction
    ) throws(Problem) {
        try execute(
            "INSERT INTO event_rule VALUES (?,?,?,?,?,?)", event.sequence, device.value, key.value, event.occurredAt.milliseconds,
            rule.json.description, rule.hasPosition, in: transaction)
    }
}
