/// The kind of an event about a device, or about a device and a geofence.
package enum EventType: String, CaseIterable, Sendable {
    case enter, exit, dwell
    /// A device has not been heard from for its `silentAfter`, and was heard from again. These events have no geofence.
    case silent, returned
    /// A device calls for help or reports a fault; see `Event.alarm`. The event has no geofence.
    case alarm
    /// What a rule expects of a device did not happen; see `Event.rule`.
    case missed
    /// An earlier event has turned out to be wrong; `Event.retracts` is its id.
    case retracted
}

extension EventType {
    /// Types written with commas between, such as `enter,exit`.
    ///
    /// - Throws: `Problem.validationFailed` for `field` if a name is not a type, or if there is no name.
    package static func list(_ text: String, field: String) throws(Problem) -> Set<EventType> {
        var types: Set<EventType> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.filter { $0 != " " }
            guard let type = EventType(rawValue: name) else {
                throw .validationFailed(
                    field: field, value: name, reason: .noSuchType, expected: .oneOf(allCases.map(\.rawValue)))
            }
            types.insert(type)
        }
        return types
    }
}
