/// The kind of an event about a device, or about a device and a geofence.
public enum EventType: String, CaseIterable, Sendable {
    case enter, exit, dwell
    /// A device has not been heard of for its `silentAfter`, and was heard again. These events have no geofence.
    case silent, returned
    /// A device calls for help or reports a fault; see `Event.alarm`. The event has no geofence.
    case alarm
    /// What a rule expects of a device did not happen; see `Event.rule`.
    case missed
    /// An earlier event has turned out to be wrong; `Event.retracts` is its id.
    case retracted
}

/// Why a transition was emitted.
public enum Cause: String, CaseIterable, Sendable {
    /// The device moved.
    case moved
    /// The device was already inside with its first deciding fix.
    case initial
    /// A fence was created, edited or activated, and a device is now inside or outside because of that.
    case fenceChanged
    /// A fence was removed while a device was inside.
    case fenceRemoved
    /// A region event of a phone contradicted the last fix.
    case reconciled
    /// A replay with late fixes found the transition.
    case corrected
    /// A device was removed while it was inside.
    case deviceRemoved
    /// A device was not heard of, or was heard again.
    case silence
    /// The device reported it.
    case reported
    /// A rule was not satisfied.
    case rule
}

/// A decision of the engine, before it is recorded as an event.
public struct Transition: Hashable, Sendable {
    public var type: EventType
    /// The number of the fence in its set (see `FenceKey`); nil for transitions of the device alone.
    public var fence: FenceKey?
    /// When the transition happened; for a movement, usually the time of the first fix that shows it.
    public var occurredAt: Instant
    /// When the transition became certain.
    public var confirmedAt: Instant
    /// The time at which the straight line between the fixes before and after the crossing intersects the boundary; nil when unknown.
    public var crossedAt: Instant?
    public var cause: Cause
    /// Whether no fix shows the transition at that moment, so that it was inferred from fixes before and after.
    public var inferred: Bool
    /// The fix that shows the transition.
    public var fix: Fix
    /// For exit and dwell: the visit that the transition belongs to.
    public var visit: OpenVisit?
    /// For silent and returned: the last sign of life before the silence.
    public var lastHeard: Instant?

    @inlinable
    public init(
        type: EventType, fence: FenceKey?, occurredAt: Instant, confirmedAt: Instant, crossedAt: Instant? = nil, cause: Cause,
        inferred: Bool = false, fix: Fix, visit: OpenVisit? = nil, lastHeard: Instant? = nil
    ) {
        self.type = type
        self.fence = fence
        self.occurredAt = occurredAt
        self.confirmedAt = confirmedAt
        self.crossedAt = crossedAt
        self.cause = cause
        self.inferred = inferred
        self.fix = fix
        self.visit = visit
        self.lastHeard = lastHeard
    }

    /// Seconds since the enter for exit and dwell, and since the last sign of life for silent and returned; else nil.
    public var duration: Double? { (visit?.enteredAt ?? lastHeard).map { occurredAt - $0 } }
}

/// A visit that has begun and not ended.
public struct OpenVisit: Hashable, Sendable {
    public var enteredAt: Instant
    public var cause: Cause
    /// Whether the dwell event of the visit has been emitted.
    public var hasDwelt: Bool

    @inlinable
    public init(enteredAt: Instant, cause: Cause, hasDwelt: Bool = false) {
        self.enteredAt = enteredAt
        self.cause = cause
        self.hasDwelt = hasDwelt
    }
}

/// The number of a geofence in a store. It never changes, and is not used again after the geofence was removed.
public struct FenceKey: Hashable, Comparable, Sendable {
    public var value: Int32
    @inlinable public init(_ value: Int32) { self.value = value }
    @inlinable public static func < (a: FenceKey, b: FenceKey) -> Bool { a.value < b.value }
}

/// A recorded transition, alarm, missed event or retraction.
public struct Event: Hashable, Sendable {
    /// Derived from device, geofence, type, time and cause, so that the same decision has the same id wherever it is made. Unique within a
    /// store. After a device was erased, a new device with the same id gets other event ids.
    public var id: String
    /// Increases from 1, is never used again, and has no gaps within one `StoreGeneration`.
    public var sequence: Int64
    public var type: EventType
    public var deviceId: String
    /// Nil for events of the device alone.
    public var geofenceId: String?
    public var geofenceName: String?
    /// When the event happened; for a movement, usually the time of the first fix that shows it.
    public var occurredAt: Instant
    /// When the event was stored, by the clock of the service.
    public var recordedAt: Instant
    /// When the event became certain.
    public var confirmedAt: Instant
    /// The time at which the straight line between the fixes before and after the crossing intersects the boundary; nil when unknown.
    public var crossedAt: Instant?
    public var cause: Cause
    /// Whether no fix shows the transition at that moment, so that it was inferred from other data.
    public var inferred: Bool
    /// The fix that shows the event, or the newest fix if the event is inferred.
    public var fix: Fix
    /// When the visit began, for events that belong to a visit, such as exit and dwell; else nil.
    public var enteredAt: Instant?
    /// Seconds since the enter for exit and dwell, and since the last sign of life for silent and returned; else nil.
    public var duration: Double?
    /// For silent and returned: the last sign of life before the silence.
    public var lastHeard: Instant?
    /// The id of the event that this one retracts; nil for other types.
    public var retracts: String?
    /// The geofence's own properties.
    public var properties: [JSONValue.Member]
    /// The details of an alarm; nil for other types.
    public var alarm: Alarm?
    /// The rule of a missed event or of its retraction; nil for other types.
    public var rule: MissedRule?

    public init(
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
