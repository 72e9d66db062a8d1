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
