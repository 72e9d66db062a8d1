/// A recorded transition, alarm, missed event or retraction.
package struct Event: Hashable, Sendable {
    /// Derived from device, geofence, type, time and cause, so that the same decision has the same id wherever it is made. Unique within a
    /// store. After a device was erased, a new device with the same id gets other event ids.
    package var id: String
    /// Increases from 1, is never used again, and has no gaps within one `StoreEpoch`.
    package var sequence: Int64
    package var type: EventType
    package var deviceId: String
    /// Nil for events of the device alone.
    package var geofenceId: String?
    package var geofenceName: String?
    /// When the event happened; for a movement, usually the time of the first fix that shows it.
    package var occurredAt: Instant
    /// When the event was stored, by the clock of the service.
    package var recordedAt: Instant
    /// When the event became certain.
    package var confirmedAt: Instant
    /// The time at which the straight line between the fixes before and after the crossing intersects the boundary; nil when unknown.
    package var crossedAt: Instant?
    package var cause: Cause
    /// Whether no fix shows the transition at that moment, so that it was inferred from other data.
    package var inferred: Bool
    /// The fix that shows the event, or the newest fix if the event is inferred.
    package var fix: Fix
    /// When the visit began, for events that belong to a visit, such as exit and dwell; else nil.
    package var enteredAt: Instant?
    /// Seconds since the enter for exit and dwell, and since the last sign of life for silent and returned; else nil.
    package var duration: Double?
    /// For silent and returned: the last sign of life before the silence.
    package var lastHeard: Instant?
    /// The id of the event that this one retracts; nil for other types.
    package var retracts: String?
    /// The geofence's own properties.
    package var properties: [JSONValue.Member]
    /// The details of an alarm; nil for other types.
    package var alarm: Alarm?
    /// The rule of a missed event or of its retraction; nil for other types.
    package var rule: MissedRule?

    package init(
        id: String, sequence: Int64, type: EventType, deviceId: String, geofenceId: String?, geofenceName: String?,
        occurredAt: Instant, recordedAt: Instant, confirmedAt: Instant, crossedAt: Instant? = nil, cause: Cause,
        inferred: Bool = false, fix: Fix, enteredAt: Instant? = nil, duration: Double? = nil, lastHeard: Instant? = nil,
        retracts: String? = nil,
        properties: [JSONValue.Member] = [], alarm: Alarm? = nil, rule: MissedRule? = nil
    ) {
        self.id = id
        self.sequence = sequence
        self.type = type
        self.deviceId = deviceId
        self.geofenceId = geofenceId
        self.geofenceName = geofenceName
        self.occurredAt = occurredAt
        self.recordedAt = recordedAt
        self.confirmedAt = confirmedAt
        self.crossedAt = crossedAt
        self.cause = cause
        self.inferred = inferred
        self.fix = fix
        self.enteredAt = enteredAt
        self.duration = duration
        self.lastHeard = lastHeard
        self.retracts = retracts
        self.properties = properties
        self.alarm = alarm
        self.rule = rule
    }
}

extension BoundedList<Event> {
    /// The maximum number of events in the answer to a request that causes them.
    package static var maxEvents: Int { 10_000 }

    /// An empty list for the events of such an answer.
    package static var noEvents: BoundedList { BoundedList(limit: maxEvents) }
}
