import Core
import Model
import Notifications
import Places
import Presence
import Registrations
import Routing
import Service
import Tables

/// The route of the current status.
enum StatusRoutes {
    typealias Route = Routing.Route<ServiceFacts>

    static let all: [Route] = [status]

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
            ] + RouteDescription.Parameter.paging, answer: "StatusPage", otherAnswers: [(csvType, "Text")]),
        work: .task { facts, call throws(Problem) in
            let accepted: StatusFormat = call.accepts("text/csv") ? .csv : .json
            if try call.oneOf("format", StatusFormat.self) ?? accepted == .csv {
                let target = call.target
                let first = try await call.store.readers.ask(for: call.client) { service throws(Problem) in
                    try csv(service, target)
                }
                return .download(first, csvType, name: "status.csv", for: call)
            }
            if try call.flag("seen") { await call.store.orderTracksUnlessReadOnly(call.client, facts.log) }
            guard call.head.scope == nil else {
                // The connections of the service concern all devices.
                return try await call.readers.ask(for: call.client) { service throws(Problem) in
                    try answer(service, call, with: [.init("sinks", SinkCounts([]).json(in: AnswerLocale()))])
                }
            }
            let locale = call.locale
            let broker = facts.broker.status.map { [JSONValue.Member("mqtt", $0.json(in: locale))] } ?? []
            let connections = broker + [.init("sinks", SinkCounts(facts.delivery.statuses.values).json(in: locale))]
            return try await call.readers.ask(for: call.client) { service throws(Problem) in
                try answer(service, call, with: connections)
            }
        })

    private static let csvType = "text/csv; charset=utf-8"

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
        let (style, columns) = (CSVStyle(in: .utc), StatusTable.columns)
        let text =
            (place == nil ? style.header(columns) : "")
            + page.items.flatMap(StatusTable.rows).map { style.line($0, columns) }.joined()
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
                // Without a service, there may be no store yet.
                var more = service.hasStore ? [JSONValue.Member("store", try service.identity().json)] : []
                more.append(.init("problems", try service.problemTotals().json(in: AnswerLocale())))
                if call.head.scope == nil { more.append(.init("walBytes", JSONValue(service.directory.logBytes))) }
                more += connections
                if hasTotals { more.append(.init("totals", try service.totals().json(in: AnswerLocale()))) }
                return more
            }, json: \.json)
    }
}
