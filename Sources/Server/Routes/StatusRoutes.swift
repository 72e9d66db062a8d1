import Model
import Service

/// Who is where, and who was.
enum StatusRoutes {
    static let all: [Route] = [status, visits]

    private static let status = Route(
        "GET", "/v1/status", .reader,
        .init(
            "Who is where, since when, and the last fix; devices by id",
            query: [
                .init("device", "Only this device"), .init("geofence", "Only devices in this geofence"),
                .init("totals", "Also what the store holds, in numbers; fixes are counted one by one", type: "boolean"),
            ] + Route.About.Parameter.paging, answer: "StatusPage"),
        .task { api, call throws(Problem) in
            let broker = api.broker.json(in: call.head.language).map { [JSONValue.Member("mqtt", $0)] } ?? []
            return try await api.readers.perform { service throws(Problem) in try status(service, call, with: broker) }
        })

    private static func status(
        _ service: GeofenceService, _ call: Call, with broker: [JSONValue.Member]
    ) throws(Problem) -> Response {
        var more = broker
        if try call.flag("totals") {
            let totals = try service.totals()
            more.append(
                .init(
                    "totals",
                    [
                        "geofences": JSONValue(totals.geofences), "devices": JSONValue(totals.devices),
                        "fixes": JSONValue(totals.fixes), "events": JSONValue(Int(totals.events)),
                    ]))
        }
        if let device = call.target["device"] {
            let whereabouts = try service.whereabouts(of: device)
            let geofence = call.target["geofence"]
            if let geofence { _ = try service.geofence(id: geofence) }
            let isWanted = geofence.map { id in whereabouts.inside.contains { $0.geofenceId == id } } ?? true
            return .page("devices", Page(isWanted ? [whereabouts] : []), with: more, \.json)
        }
        var filter = GeofenceService.DeviceFilter()
        filter.geofenceId = call.target["geofence"]
        return .page("devices", try service.whereabouts(filter, after: call.after, limit: call.limit()), with: more, \.json)
    }

    private static let visits = Route(
        "GET", "/v1/visits", .reader,
        .init(
            "Who was where from when to when, by the time of the enter; open visits too",
            query: [
                .init("device", "Only of this device"), .init("geofence", "Only of this geofence"),
                .init("since", "Only those of which some is not before this time (RFC 3339)"),
                .init("until", "Only those that began before this time"),
                .init("open", "Only those that have not ended", type: "boolean"),
            ] + Route.About.Parameter.paging, answer: "VisitPage"),
        .read { service, call throws(Problem) in
            var filter = GeofenceService.EventFilter()
            filter.deviceId = call.target["device"]
            filter.geofenceId = call.target["geofence"]
            filter.since = try call.instant("since")
            filter.until = try call.instant("until")
            let page = try service.visits(filter, onlyOpen: call.flag("open"), after: call.after, limit: call.limit())
            return .page("visits", page, \.json)
        })
}
