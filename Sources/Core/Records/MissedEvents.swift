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

    /// The stays of a device in a geofence that ended at or after a moment, ordered by time.
    ///
    /// - Parameter shortest: The number of seconds from which a stay is long enough. If it is set, the stays include for how long
    ///   the device was seen.
    /// - Complexity: O(exits of the device since then), and for each as `Sightings.seconds`.
    func endedStays(
        of stored: StoredDevice, in fence: FenceKey, since moment: Instant, atLeast shortest: Double?
    ) throws(Problem) -> [TimeInside] {
        var stays = try endedStays(of: stored.key, in: fence, since: moment)
        guard let shortest, !stays.isEmpty else { return stays }
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
        return stays
    }

    private func endedStays(
        of device: DeviceKey, in fence: FenceKey, since moment: Instant
    ) throws(Problem) -> [TimeInside] {
        try indexAllEvents()
        return try rows(
            """
            SELECT e.entered_at, e.occurred_at, e.cause FROM exit_by_device o CROSS JOIN event e ON e.sequence = o.sequence
            WHERE o.device = ? AND o.occurred_at >= ? AND e.geofence = ? AND \(Self.isNotRetracted("e"))
            ORDER BY e.occurred_at, e.entered_at
            """, device.value, moment.milliseconds, fence.value, as: Instant?.self, Instant.self, String.self
        ).map { enteredAt, exitedAt, cause in
            TimeInside(
                enteredAt: enteredAt ?? exitedAt, exitedAt: exitedAt,
                endedByEdit: [Cause.fenceChanged, .fenceRemoved, .deviceRemoved].contains { $0.rawValue == cause })
        }
    }

    /// The missed events of a rule, a device and a geofence from a moment on that were not retracted, ordered by time.
    ///
    /// - Parameter grace: The grace period of the rule in seconds; see `RuleMiss.dueAt`.
    func unretractedMisses(
        of assignment: RuleAssignment, since moment: Instant, grace: Double
    ) throws(Problem) -> [RecordedMissedEvent] {
        try rows(
            """
            SELECT e.id, e.occurred_at, e.entered_at, e.revision FROM event_rule m JOIN event e USING (sequence)
            WHERE m.device = ? AND m.rule = ? AND m.occurred_at >= ? AND e.geofence = ? AND e.type = 'missed' AND \(Self.isNotRetracted("e"))
            ORDER BY m.occurred_at, e.sequence
            """, assignment.device.value, assignment.rule.value, moment.milliseconds, Int64(assignment.fence.value),
            as: String.self, Instant.self, Instant?.self, Int64.self
        ).map { id, occurredAt, enteredAt, revision in
            RecordedMissedEvent(
                id: id, miss: RuleMiss(occurredAt: occurredAt, dueAt: occurredAt + grace, enteredAt: enteredAt),
                revision: revision)
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
