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
    /// How events of a type are shown and filtered.
    package struct Traits: Sendable {
        /// What an event is, as a verb.
        package let verb: Phrase
        /// An emoji short code (docs.ntfy.sh/emojis).
        package let emoji: String
        /// The trigger that a geofence needs for an event to be sent; nil if the type does not depend on triggers.
        package var trigger: Geofence.Triggers?
    }

    package var traits: Traits {
        switch self {
        case .enter: Traits(verb: Phrase("entered"), emoji: "green_circle", trigger: .enter)
        case .exit: Traits(verb: Phrase("left"), emoji: "white_circle", trigger: .exit)
        case .dwell: Traits(verb: Phrase("has stayed in"), emoji: "hourglass_flowing_sand", trigger: .dwell)
        case .silent: Traits(verb: Phrase("is silent"), emoji: "zzz")
        case .returned: Traits(verb: Phrase("is reporting again"), emoji: "wave")
        case .alarm: Traits(verb: Phrase("raised an alarm"), emoji: "rotating_light")
        case .missed: Traits(verb: Phrase("missed"), emoji: "exclamation")
        case .retracted: Traits(verb: Phrase("retracted"), emoji: "leftwards_arrow_with_hook")
        }
    }

    /// What the engine decides about.
    package enum Decision: Sendable {
        /// Where the device is. The event has the start of the visit.
        case place
        /// Whether the device is silent. The event has the time of the last message.
        case silence
    }

    /// What the engine decides with an event of this type; nil if the event is not one of its decisions, which a replay should reproduce.
    package var decision: Decision? {
        switch self {
        case .enter, .exit, .dwell: .place
        case .silent, .returned: .silence
        case .alarm, .missed, .retracted: nil
        }
    }

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
