import Ingest
import Model
import Notifications
import Routing
import Service

/// Routes of the current status and of visits.
enum StatusRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [status, visits, visitTotals]

    private static let status = Route(
        "GET", "/v1/status", access: .reader, restricted: .allowed, heavyFields: ["seen", "totals"],
        about: .init(
            "Lists devices by id, with the geofences that they are in, since when, and their last position",
            query: [
                .init("device", "Only this device"), .init("geofence", "Only devices in this geofence"),
                .init("totals", "Include the numbers of items in the store; positions are counted one by one", type: "boolean"),
                .init("seen", "Include the seenSeconds of visits; this reads each of their positions", type: "boolean"),
                .init(
                    "format",
                    "json (default); csv, also by Accept: all matching devices, one line for each device and geofence that it is in"
                ),
            ] + RouteDescription.Parameter.paging, answer: "StatusPage", otherAnswers: [("text/csv; charset=utf-8", "Text")]),
        work: .task { api, call throws(Problem) in
            let accepted: StatusFormat = call.accepts("text/csv") ? .csv : .json
            if try call.oneOf("format", StatusFormat.self) ?? accepted == .csv {
                let target = call.target
                let first = try await call.store.readers.ask(for: call.client) { service throws(Problem) in
                    try csv(service, target)
                }
                return .download(first, HistoryExport.Format.csv.contentType, name: "status.csv", for: call)
            }
            if try call.flag("seen") { await api.orderTracksUnlessReadOnly(for: call.client) }
            guard call.head.scope == nil else {
                // The connections of the service concern all devices.
                return try await call.readers.ask(for: call.client) { service throws(Problem) in
                    try answer(service, call, with: [.init("sinks", SinkCounts([]).json(in: AnswerLocale()))])
                }
            }
            let locale = call.locale
            let broker = api.broker.status.map { [JSONValue.Member("mqtt", $0.json(in: locale))] } ?? []
            let connections = broker + [.init("sinks", SinkCounts(api.delivery.statuses.values).json(in: locale))]
            return try await call.readers.ask(for: call.client) { service throws(Problem) in
                try answer(service, call, with: connections)
            }
        })

    private enum StatusFormat: String, CaseIterable { case json, csv }

    /// The statuses that the query fields `device` and `geofence` select.
    private static func statuses(
        _ service: Queries, _ target: Target, after place: String?, limit: Int, counting isCounting: Bool
    ) throws(Problem) -> Page<Queries.DeviceStatus> {
        guard let device = target["device"] else {
            var filter = Queries.DeviceFilter()
            filter.geofenceId = target["geofence"]
            return try service.deviceStatuses(filter, after: place, limit: limit, counting: isCounting)
        }
        let status = try service.deviceStatus(of: device, counting: isCounting)
        let geofence = target["geofence"]
        if let geofence { _ = try service.geofence(id: geofence) }
        let isWanted = geofence.map { id in status.inside.contains { $0.geofenceId == id } } ?? true
        return Page(isWanted ? [status] : [])
    }

    /// All statuses that match as CSV, from a place in the list on.
    private static func csv(_ service: Queries, _ target: Target, after place: String? = nil) throws(Problem) -> Download.Piece {
        let page = try statuses(service, target, after: place, limit: 250, counting: false)
        let text = (place == nil ? CSVLine.written(StatusTable.columns) : "") + page.items.map(StatusTable.lines).joined()
        guard let next = page.next else { return Download.Piece(text: text, next: nil) }
        return Download.Piece(text: text) { service throws(Problem) in try csv(service, target, after: next) }
    }

    private static func answer(
        _ service: Queries, _ call: Call, with connections: [JSONValue.Member]
    ) throws(Problem) -> Response {
        let (target, isCounting, hasTotals) = (call.target, try call.flag("seen"), try call.flag("totals"))
        return try .list(
            "devices", of: service, for: call,
            read: { service, place, limit throws(Problem) in
                try statuses(service, target, after: place, limit: limit, counting: isCounting)
            },
            with: { service, _ throws(Problem) in
                var more: [JSONValue.Member] = [
                    .init("store", try service.identity().json),
                    .init("problems", try service.problemTotals().json(in: AnswerLocale())),
                ]
                if call.head.scope == nil { more.append(.init("walBytes", JSONValue(service.directory.logBytes))) }
                more += connections
                if hasTotals { more.append(.init("totals", try service.totals().json(in: AnswerLocale()))) }
                return more
            }, json: \.json)
    }

    private static let filters: [RouteDescription.Parameter] = [
        .init("device", "Only visits of this device"), .init("geofence", "Only visits to this geofence"),
        .init("since", "Only visits of which a part is not before this time; \(TimeReader.forms)"),
        .init("until", "Only visits that began before this time; a day or a month is included"), .timeZone,
        .init("open", "Only visits that have not ended", type: "boolean"), .minDuration,
    ]

    private static let visits = Route(
        "GET", "/v1/visits", access: .reader, restricted: .allowed,
        about: .init(
            "Lists visits in order of their enter, open visits included",
            query: filters + [
                .init(
                    "order", "By the time of the enter: oldest (default) or newest first",
                    oneOf: EventQuery.Order.allCases.map(\.rawValue)), .format,
            ]
                + RouteDescription.Parameter.paging, answer: "VisitPage", otherAnswers: HistoryExport.types),
        work: .task { api, call throws(Problem) in
            await api.orderTracksUnlessReadOnly(for: call.client)
            if let table = try call.requestedExport() {
                guard call.target["order"] == nil else {
                    throw .validationFailed(
                        field: "order", value: call.target["order"] ?? "",
                        reason: Phrase("a file always has the oldest visit first"),
                        expected: Phrase("only 'order' or only 'format'"))
                }
                return try await download(table, call)
            }
            let (filter, onlyOpen) = (try filter(call), try call.flag("open"))
            let isNewestFirst = try call.oneOf("order", EventQuery.Order.self) == .newest
            return try await call.readers.ask(for: call.client) { service throws(Problem) in
                try .list(
                    "visits", of: service, for: call,
                    read: { service, place, limit throws(Problem) in
                        try service.visits(
                            filter, onlyOpen: onlyOpen, after: place, isNewestFirst: isNewestFirst, limit: limit)
                    },
                    with: { service, omitted throws(Problem) in try remarks(omitting: omitted, service, filter) }, json: \.json)
            }
        })

    private static func download(_ table: HistoryExport, _ call: Call) async throws(Problem) -> Response {
        let (filter, onlyOpen) = (try filter(call), try call.flag("open"))
        let first: Download.Source = { service throws(Problem) in
            try .readPage(of: service) { service, place throws(Problem) in
                try table.visits(service, filter, onlyOpen: onlyOpen, from: place)
            }
        }
        return .download(try await call.readers.ask(for: call.client, first), table: table, name: "visits", for: call)
    }

    private static let visitTotals = Route(
        "GET", "/v1/visits/totals", access: .reader, restricted: .allowed,
        about: .init(
            "Adds up the time of visits by device and geofence. With since or until, only the part "
                + "of a visit that lies between them counts",
            query: filters + RouteDescription.Parameter.paging, answer: "VisitTotalPage"),
        work: .task { api, call throws(Problem) in
            await api.orderTracksUnlessReadOnly(for: call.client)
            return try await call.store.heavyReaders.ask(for: call.client) { service throws(Problem) in
                let filter = try filter(call)
                let page = try service.visitTotals(
                    filter, onlyOpen: call.flag("open"), after: call.after, limit: call.limit())
                return .page("totals", page, with: try remarks(omitting: page.omitted, service, filter), json: \.json)
            }
        })

    /// How many visits are left out, if the client asks to leave some out; and the positions that are not evaluated, if there are any.
    private static func remarks(
        omitting omitted: Int, _ service: Queries, _ filter: Queries.EventFilter
    ) throws(Problem) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if filter.minDuration != nil { members.append(.init("omittedVisits", JSONValue(omitted))) }
        let unevaluated = try service.unevaluatedPositions(filter)
        if !unevaluated.isEmpty {
            members.append(
                .init("notEvaluated", .array(unevaluated.map { Queries.UnevaluatedPositions.listedShape.encode($0) })))
        }
        return members
    }

    private static func filter(_ call: Call) throws(Problem) -> Queries.EventFilter {
        var filter = try call.eventFilter()
        filter.minDuration = try call.duration("minDuration", in: 0...TimeSpan.longest)
        return filter
    }
}

extension API {
    /// Orders the fixes by device, if the store can be written. Without the order, reading only takes longer.
    func orderTracksUnlessReadOnly(for client: QueryClient) async {
        do throws(Problem) {
            try await store.orderTracks(client)
        } catch {
            if client.hasLeft() { return }
            diagnostics.log.logProblem(error, "order of positions")
        }
    }
}
