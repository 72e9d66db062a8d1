import Core
import Model
import Presence
import Routing
import Service

/// Routes of events.
enum EventRoutes {
    typealias Route = Routing.Route<API>

    static let all = [events, stream]

    private static let filters: [RouteDescription.Parameter] = [
        .init("device", "Only events of this device"), .init("geofence", "Only events of these geofences", isRepeatable: true),
        .init("type", "Only events of these types, separated by commas", isList: true, oneOf: EventType.allCases.map(\.rawValue)),
    ]

    private static let events = Route(
        "GET", "/v1/events", access: .reader, restricted: .allowed,
        about: .init(
            "Lists events in order of sequence; with order=newest or order=occurred, in order of the time when they happened",
            query: filters + [
                .init("since", "Not before this time, by occurredAt; \(TimeReader.forms)"), .until, .timeZone,
                .init(
                    "after",
                    "Only events after this one: its number, or the 'cursor' of a previous page; 410 if the events "
                        + "after it have changed"),
                .init(
                    "all",
                    "Include retracted events, and the entries of type 'retracted' that name them; default: true with 'after' or "
                        + "'wait', otherwise false", type: "boolean"),
                .limit("Maximum number of events"),
                .init(
                    "last",
                    "Only this number of the newest matching events, in order of sequence, 0 to 10000; 'limit' is then ignored",
                    type: "integer", in: 0...EventQuery.largestLast),
                .init("wait", "If there is none, wait this long for one, for example 30s; at most 60 s"),
                .format, .csvFor,
                .init(
                    "order",
                    "oldest (default): in order of sequence; newest: by occurredAt, newest first; occurred: by occurredAt, oldest "
                        + "first, where 'after' is the value of 'later' in the previous page",
                    oneOf: EventQuery.EventOrder.allCases.map(\.rawValue)),
                .init("before", "With order=newest: only events before this one; the value of 'earlier' in the previous page"),
            ],
            answer: "EventPage", otherAnswers: HistoryExport.types),
        work: .handler { api, head throws(Problem) in try EventsHandler(api, head) })

    private static let stream = Route(
        "GET", "/v1/events/stream", access: .reader, restricted: .allowed, takesStreamToken: true,
        about: .init(
            "Streams new events (Server-Sent Events); continues after Last-Event-ID",
            query: filters + [
                .init(
                    "after",
                    "Start after this event: its number, a 'cursor', or the id of a streamed event; 410 as with Last-Event-ID"
                ),
                .init(
                    "notices",
                    "Include changes of geofences, devices, problems, health, repairs, their operations and sinks, and acknowledged alarms, "
                        + "without an id",
                    type: "boolean"),
                .init(
                    "positions",
                    "Include positions of moving devices, without an id: all, or those in west,south,east,north (and one position of a "
                        + "device that leaves this box). A slow reader gets only the newest position of each device"),
                .init(
                    Target.streamTokenField,
                    "A token of POST /v1/stream-tokens, for clients that cannot send headers"),
            ], answer: "Text",
            answerType: "text/event-stream"),
        work: .handler { api, head throws(Problem) in try StreamHandler(api, head) })
}

/// Opens a stream of events.
private final class StreamHandler: RequestHandler {
    private let response: Response

    init(_ api: API, _ head: Head) throws(Problem) {
        guard api.streams.count < Streams.maximumStreams else { throw .rateLimited(retryAfter: 10) }
        let call = Call(head: head, store: api.store)
        var last = api.log.newest
        let cursor = try Self.cursor(call)
        if let cursor {
            last = try head.scope == nil ? api.epochs.check(cursor, newest: last) : api.epochs.checkRestricted(cursor)
        }
        var filter = try EventQuery.filter(call)
        filter.wantsNotices = try call.flag("notices")
        filter.language = head.language
        if call.target["positions"] == "all" {
            filter.area = .everywhere
        } else {
            filter.area = try call.box("positions").map(LiveArea.box)
        }
        let stream = EventStream(
            after: last, of: api.epochs.current.id, filter, isResumed: cursor != nil, tokenID: head.token?.id,
            expiresAt: head.expiresAt, log: api.log, readers: api.store.readers, client: head.client, streams: api.streams,
            groups: api.store.writer.deviceGroups)
        response = Response(status: 200, contentType: "text/event-stream", body: .stream(stream))
            .with("Cache-Control", "no-store")
            // nginx holds a response back until its buffer is full, unless the response asks it not to.
            .with("X-Accel-Buffering", "no")
    }

    /// A client that reconnects sends both `Last-Event-ID` and `after`; the former takes precedence.
    private static func cursor(_ call: Call) throws(Problem) -> EventCursor? {
        guard let text = call.head.lastEventID, !text.isEmpty else { return try EventQuery.cursor(call) }
        return try EventQuery.cursor(text, named: "Last-Event-ID")
    }

    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response? { nil }
    var heldBytes: Int { 0 }
    func finish() -> RequestOutcome { .now(response) }
}

/// Answers with a page of events. If there are none and the request has `wait`, it answers as soon as there are.
private final class EventsHandler: RequestHandler {
    private let api: API
    private let filter: Queries.EventFilter
    private let call: Call
    private let admits: EventStream.Filter
    private let wait: Double
    private let table: HistoryExport?
    private let byTime: EventQuery.ByTime?

    init(_ api: API, _ head: Head) throws(Problem) {
        self.api = api
        call = Call(head: head, store: api.store)
        table = try call.requestedExport()
        byTime = try EventQuery.byTime(call)
        if byTime != nil, table != nil {
            throw .validationFailed(
                field: "order", value: call.target["order"] ?? "",
                reason: Phrase("a file always contains the events in order of their sequence numbers"),
                expected: Phrase("only 'format'"))
        }
        filter = if let byTime { byTime.filter } else { try EventQuery.page(call) }
        admits = try EventQuery.filter(call)
        wait = min(try call.duration("wait", in: 0...TimeSpan.longest) ?? 0, 60)
    }

    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response? { nil }
    var heldBytes: Int { 0 }

    func finish() -> RequestOutcome {
        if let table { return .later { [self] reply in download(table, reply) } }
        if let byTime { return .later { [api, call] in Self.answer(byTime, api, call, $0) } }
        let waiter = EventWaiter(api, call, filter: filter, admits: admits, seconds: wait)
        return .later { waiter.start($0) }
    }

    private func download(_ table: HistoryExport, _ reply: Reply) -> Bool {
        let (filter, types, newest, call) = (filter, admits.types, api.log.newest, call)
        let first: Download.Source = { service throws(Problem) in
            try service.check(filter)
            var wanted = filter
            (wanted.types, wanted.limit) = (types, nil)
            try service.convertCursor(&wanted)
            return try .readPage(of: service) { [wanted] service, place throws(Problem) in
                try table.events(service, wanted, from: place, upTo: newest)
            }
        }
        return call.readers.submit(for: call.client, first) {
            reply(Response($0.map { Response.download($0, table: table, name: "events", for: call) }))
        }
    }

    /// Answers with events by time. A client passes `next` or `cursor` as `after` for events that are recorded later, `earlier` as `before`
    /// for earlier ones, and `later` as `after` for later ones in the same order.
    private static func answer(_ query: EventQuery.ByTime, _ api: API, _ call: Call, _ reply: Reply) -> Bool {
        let (newest, epochs) = (api.log.newest, api.epochs)
        var filter = query.filter
        // Events with higher numbers may not be on disk yet.
        filter.upTo = newest
        let list = ListAnswer<Event>(
            name: "events", limit: query.limit,
            read: { [filter] service, place, limit throws(Problem) in
                try service.newestEvents(filter, before: place, isOldestFirst: query.isOldestFirst, limit: limit)
            }, json: \.json,
            end: { service, progress throws(Problem) in
                let last = call.head.scope == nil ? newest : min(newest, try service.newestSequence())
                let place = progress.place.map { [JSONValue.Member(query.isOldestFirst ? "later" : "earlier", .string($0))] }
                return epochs.members(ofPageUpTo: last) + (place ?? [])
            })
        return call.readers.submit(
            for: call.client, { service throws(Problem) in try list.first(of: service, after: query.place).piece },
            { reply(Response($0.map { Response.pieces($0, for: call) })) })
    }
}
