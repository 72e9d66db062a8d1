import Core
import Model
import Presence
import Routing

/// Reads the query fields that select events.
enum EventQuery {
    static func filter(_ call: Call) throws(Problem) -> EventStream.Filter {
        var filter = EventStream.Filter(deviceId: call.target["device"], geofenceIds: call.target.all("geofence"))
        filter.types = try types(call)
        filter.scope = call.head.scope
        return filter
    }

    private static func types(_ call: Call) throws(Problem) -> Set<EventType>? {
        try call.target["type"].map { text throws(Problem) in try EventType.list(text, field: "type") }
    }

    /// The order of a list of visits.
    enum Order: String, CaseIterable { case oldest, newest }

    /// The order of a list of events.
    enum EventOrder: String, CaseIterable {
        /// By sequence number.
        case oldest
        /// By `occurredAt`, the newest first or the oldest first.
        case newest, occurred
    }

    /// The parameters of a request for events by the time when they happened.
    struct ByTime: Sendable {
        var filter: Queries.EventFilter
        /// The `earlier` or `later` of the page before.
        var place: String?
        var isOldestFirst: Bool
        var limit: Int
    }

    /// - Returns: Nil when the request asks for events by sequence number.
    /// - Throws: `Problem.validationFailed` when it asks for both orders.
    static func byTime(_ call: Call) throws(Problem) -> ByTime? {
        let order = try call.oneOf("order", EventOrder.self)
        if order != .newest, let text = call.target["before"] {
            throw .validationFailed(
                field: "before", value: text, reason: Phrase("it can be used only with order=newest"), expected: Phrase("'after'")
            )
        }
        guard let order, order != .oldest else { return nil }
        let isOldestFirst = order == .occurred
        for name in ["after", "wait", "last"] where name != "after" || !isOldestFirst {
            guard let text = call.target[name] else { continue }
            throw .validationFailed(
                field: name, value: text, reason: Phrase("it cannot be used with events in order of time"),
                expected: name == "after"
                    ? Phrase("'before' with the number of an event")
                    : Phrase("a request for events in order of their sequence numbers"))
        }
        let filter = try page(call, isByTime: true)
        return try ByTime(
            filter: filter, place: call.target[isOldestFirst ? "after" : "before"], isOldestFirst: isOldestFirst,
            limit: call.limit())
    }

    /// The largest value of `last`.
    static let largestLast = 10_000

    /// The filter of a request for events in order of sequence: the first page after a cursor or, with `last`, the newest events.
    ///
    /// - Parameter isByTime: Whether the events are requested by time, so that `after` is not a cursor.
    static func page(_ call: Call, isByTime: Bool = false) throws(Problem) -> Queries.EventFilter {
        var filter = try call.eventFilter()
        if !isByTime, let cursor = try cursor(call) { filter.cursor = cursor }
        filter.types = try types(call)
        filter.pageSize = try call.limit()
        if let last = try call.integer("last", in: 0...largestLast) { (filter.limit, filter.pageSize) = (last, nil) }
        // A client that follows events also needs the retractions.
        let isFollowing = !isByTime && (call.target["after"] != nil || call.target["wait"] != nil)
        filter.excludesRetracted = try
            !(call.target["all"] == nil ? isFollowing || filter.types?.contains(.retracted) == true : call.flag("all"))
        return filter
    }

    /// The events that a filter and a stream's filter admit, in order of sequence.
    ///
    /// - Parameters:
    ///   - filter: A filter with a cursor of the current epoch.
    ///   - newest: The newest event number to send. Events with higher numbers may not be on disk yet, and a crash would free their numbers.
    static func list(
        _ filter: Queries.EventFilter, _ admits: EventStream.Filter, upTo newest: Int64, of service: Queries,
        epochs: StoreEpochs
    ) throws(Problem) -> ListAnswer<Event> {
        var wanted = filter
        (wanted.upTo, wanted.types) = (newest, admits.types)
        let limit = filter.limit ?? filter.pageSize ?? 1000
        if filter.limit != nil {
            wanted.after = try service.numberBeforeNewestEvents(wanted)
            wanted.limit = nil
        }
        let start = wanted.after
        return ListAnswer(
            name: "events", limit: limit,
            read: { [wanted] service, place, count throws(Problem) in
                var wanted = wanted
                if let place = place.flatMap({ Int64($0) }) { wanted.after = place }
                wanted.pageSize = count
                var events: [Event] = []
                try service.forEachEvent(wanted) { events.append($0) }
                return Page(events, next: events.count == count ? events.last.map { String($0.sequence) } : nil)
            }, json: \.json,
            end: { _, progress in
                let last = progress.last?.sequence ?? start
                // A page that is not full reaches the end of the events. The number of that end would reveal events that the client may
                // not see.
                let isFull = filter.limit == nil && progress.count == limit
                return epochs.members(ofPageUpTo: isFull || admits.scope != nil ? last : max(last, newest))
            })
    }

    /// The cursor in `after`; nil when it is missing.
    static func cursor(_ call: Call) throws(Problem) -> EventCursor? {
        try call.target["after"].map { text throws(Problem) in try cursor(text, named: "after") }
    }

    static func cursor(_ text: String, named name: String) throws(Problem) -> EventCursor {
        if let cursor = EventCursor(text) { return cursor }
        throw .validationFailed(
            field: name, value: String(text.prefix(60)), reason: .notAPlaceInEvents,
            expected: Phrase("the number of an event, the value of 'cursor', or the id of a streamed event"))
    }
}

extension Call {
    /// The filter for events and visits with `device`, `geofence`, `since` and `until`.
    ///
    /// - Throws: See `period()`.
    func eventFilter() throws(Problem) -> Queries.EventFilter {
        let (since, until) = try period()
        return Queries.EventFilter(deviceId: target["device"], geofenceIds: target.all("geofence"), since: since, until: until)
    }
}

extension StoreEpochs {
    /// The members of a page of events that a client passes as `after` for later events.
    ///
    /// - Parameter last: The number up to which the page has the events.
    func members(ofPageUpTo last: Int64) -> [JSONValue.Member] {
        [.init("next", JSONValue(Int(last))), .init("cursor", .string(cursor(last).description))]
    }
}
