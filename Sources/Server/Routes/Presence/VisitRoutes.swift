import Core
import Model
import Places
import Presence
import Routing
import Service

/// Routes of visits.
enum VisitRoutes {
    typealias Route = Routing.Route<API>

    static let all = [visits, visitTotals]

    private static let filters: [RouteDescription.Parameter] = [
        .init("device", "Only visits of this device"), .init("geofence", "Only visits to these geofences", isRepeatable: true),
        .init("notGeofence", "Only visits to other geofences", isRepeatable: true),
        .init("since", "Only visits of which a part is not before this time; \(TimeReader.forms)"),
        .init("until", "Only visits that began before this time; a day or a month is included"), .timeZone,
        .init("open", "Only visits that have not ended", type: "boolean"), .minDuration,
    ]

    private static let visits = Route(
        "GET", "/v1/visits", access: .reader, restricted: .allowed,
        about: .init(
            "Lists visits in order of their enter, including open visits",
            query: filters + [
                .init(
                    "order", "By the time of the enter: oldest (default) or newest first",
                    oneOf: EventQuery.Order.allCases.map(\.rawValue)), .format, .csvFor,
            ]
                + RouteDescription.Parameter.paging, answer: "VisitPage", otherAnswers: HistoryExport.types),
        work: .task { api, call throws(Problem) in
            await call.store.orderTracksUnlessReadOnly(call.client, api.diagnostics.log)
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
            await call.store.orderTracksUnlessReadOnly(call.client, api.diagnostics.log)
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
        filter.excludedGeofenceIds = call.target.all("notGeofence")
        filter.minDuration = try call.duration("minDuration", in: 0...TimeSpan.longest)
        return filter
    }
}
