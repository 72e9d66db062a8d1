/// What happened between a device and a geofence, or to a device.
public enum EventType: String, CaseIterable, Sendable {
    case enter, exit, dwell
    /// A device has not been heard of for its `silentAfter`, and is heard again. They are about no geofence.
    case silent, returned
    /// A device calls for help, or tells of something that is wrong; `Event.alarm` says more. It is about no geofence.
    case alarm
    /// What a rule expects of a device did not happen; `Event.rule` says more.
    case missed
    /// An event that was found wrong later; `Event.retracts` names it.
    case retracted
}

/// Why a transition was told.
public enum Cause: String, CaseIterable, Sendable {
    /// The device moved.
    case moved
    /// A device's first deciding fix, already inside.
    case initial
    /// A fence was made, edited or switched around or away from a device.
    case fenceChanged
    /// A fence was deleted around a device.
    case fenceRemoved
    /// A region state of a phone contradicted the last fix.
    case reconciled
    /// A replay with late fixes found it.
    case corrected
    /// A device was removed while it was inside.
    case deviceRemoved
    /// A device was not heard of, or is heard again.
    case silence
    /// The device itself said so.
    case reported
    /// A rule expected something else.
    case rule
}

/// A decision of the engine, before it is recorded.
public struct Transition: Hashable, Sendable {
    public var type: EventType
    /// The number of the fence in its set (see `FenceKey`); nil for what is about the device alone.
    public var fence: FenceKey?
    public var occurredAt: Instant
    public var confirmedAt: Instant
    /// When the line between the two fixes that straddle the boundary meets it.
    public var crossedAt: Instant?
    public var cause: Cause
    /// Nothing was seen at that moment: it follows from what was seen before and after.
    public var inferred: Bool
    /// The fix that showed it.
    public var fix: Fix
    /// For exit and dwell: the visit they belong to.
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

    /// Seconds from the enter, for exit and dwell; from the last sign of life, for silent and returned.
    public var duration: Double? { (visit?.enteredAt ?? lastHeard).map { occurredAt - $0 } }
}

/// A visit that has begun and not ended.
public struct OpenVisit: Hashable, Sendable {
    public var enteredAt: Instant
    public var cause: Cause
    /// Whether its dwell has been told.
    public var hasDwelt: Bool

    @inlinable
    public init(enteredAt: Instant, cause: Cause, hasDwelt: Bool = false) {
        self.enteredAt = enteredAt
        self.cause = cause
        self.hasDwelt = hasDwelt
    }
}

/// A geofence's number in a store: small, never used again, and the same through every edit.
public struct FenceKey: Hashable, Comparable, Sendable {
    public var value: Int32
    @inlinable public init(_ value: Int32) { self.value = value }
    @inlinable public static func < (a: FenceKey, b: FenceKey) -> Bool { a.value < b.value }
}

/// A transition, recorded.
public struct Event: Hashable, Sendable {
    /// Derived from device, geofence, type, time and cause: the same decision has the same id wherever it is made. Unique in a
    /// store. A device that has the id of one that was erased is another device, and makes other ids.
    public var id: String
    /// Increasing from 1, never used again, and gapless within one `StoreGeneration`.
    public var sequence: Int64
    public var type: EventType
    public var deviceId: String
    /// Nil for what is about the device alone.
    public var geofenceId: String?
    public var geofenceName: String?
    public var occurredAt: Instant
    public var recordedAt: Instant
    public var confirmedAt: Instant
    public var crossedAt: Instant?
    public var cause: Cause
    public var inferred: Bool
    public var fix: Fix
    public var enteredAt: Instant?
    /// Seconds: from the enter, for exit and dwell; from the last sign of life, for silent and returned.
    public var duration: Double?
    /// For silent and returned: the last sign of life before the silence.
    public var lastHeard: Instant?
    /// The id of the event that this one takes back.
    public var retracts: String?
    /// The geofence's own properties.
    public var properties: [JSONValue.Member]
    /// What is known of an alarm; nil for any other type.
    public var alarm: Alarm?
    /// The rule of a missed event, and of a retraction of one; nil for any other.
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
