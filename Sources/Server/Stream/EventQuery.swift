import Model
import Service

/// Reads the query fields that select events.
enum EventQuery {
    static func filter(_ call: Call) throws(Problem) -> EventStream.Filter {
        var filter = EventStream.Filter(deviceId: call.target["device"], geofenceId: call.target["geofence"])
        filter.types = try types(call)
        filter.scope = call.head.scope
        return filter
    }

    private static func types(_ call: Call) throws(Problem) -> Set<EventType>? {
        try call.target["type"].map { text throws(Problem) in try EventType.list(text, field: "type") }
    }

    /// The order of a list of events or visits.
    enum Order: String, CaseIterable { case oldest, newest }

    /// The parameters of a request for the newest events.
    struct Newest: Sendable {
        var filter: Queries.EventFilter
        /// The `earlier` of the page before.
        var place: String?
        var limit: Int
    }

    /// - Returns: Nil when the request asks for events by sequence number.
    /// - Throws: `Problem.validationFailed` when it asks for both orders.
    static func newest(_ call: Call, _ api: API) throws(Problem) -> Newest? {
        guard try call.oneOf("order", Order.self) == .newest else {
            guard let text = call.target["before"] else { return nil }
            throw .validationFailed(
                field: "before", value: text, reason: .onlyNewestFirst, expected: .afterParameter)
        }
        for name in ["after", "wait", "last"] {
            guard let text = call.target[name] else { continue }
            throw .validationFailed(
                field: name, value: text, reason: .notNewestFirst,
                expected: name == "after"
                    ? .beforeEvent : .eventsInOrder)
        }
        let filter = try page(call, api)
        return try Newest(filter: filter, place: call.target["before"], limit: call.limit())
    }

    /// The largest value of `last`.
    static let largestLast = 10_000

    /// The filter of a request for events in order of sequence: the first page after a cursor or, with `last`, the newest events.
    static func page(_ call: Call, _ api: API) throws(Problem) -> Queries.EventFilter {
        var filter = Queries.EventFilter()
        filter.deviceId = call.target["device"]
        filter.geofenceId = call.target["geofence"]
        (filter.since, filter.until) = try call.period(api)
        if let cursor = try cursor(call) { filter.cursor = cursor }
        filter.types = try types(call)
        filter.pageSize = try call.limit()
        if let last = try call.integer("last", in: 0...largestLast) { (filter.limit, filter.pageSize) = (last, nil) }
        // A client that follows events also needs the retractions.
        let isFollowing = call.target["after"] != nil || call.target["wait"] != nil
        filter.excludesRetracted = try
            !(call.target["all"] == nil ? isFollowing || filter.types?.contains(.retracted) == true : call.flag("all"))
        return filter
    }

    /// The cursor in `after`; nil when it is missing.
    static func cursor(_ call: Call) throws(Problem) -> EventCursor? {
        try call.target["after"].map { text throws(Problem) in try cursor(text, named: "after") }
    }

    static func cursor(_ text: String, named name: String) throws(Problem) -> EventCursor {
        if let cursor = EventCursor(text) { return cursor }
        throw .validationFailed(
            field: name, value: String(text.prefix(60)), reason: .notAPlaceInEvents,
            expected: .eventCursor)
    }
}
