import Core
import Model
import Places
import Presence
import Routing

/// Routes of geofences.
enum GeofenceRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [list, create, get, put, patch, remove, devices]

    private static let list = Route(
        "GET", "/v1/geofences", access: .reader, restricted: .allowed, heavyFields: ["matching", "group"],
        about: .init(
            "Lists geofences by id, active or not",
            query: [
                .init("matching", "Only geofences with this text in the id or the name"),
                .init(
                    "containing",
                    "Only geofences that contain this position: latitude,longitude. Longitudes may be up to 360 degrees from Greenwich"
                ),
                .init(
                    "bbox",
                    "Only geofences whose box overlaps this one: west,south,east,north; west > east crosses the antimeridian. Longitudes may "
                        + "be up to 360 degrees from Greenwich"),
                .init("group", "Only geofences for this group of devices"),
            ] + RouteDescription.Parameter.paging, answer: "GeofencePage"),
        work: .read { service, call throws(Problem) in
            var filter = Queries.GeofenceFilter()
            filter.matching = call.target["matching"]
            filter.group = call.target["group"]
            filter.containing = try call.place("containing")
            filter.box = try call.box("bbox")
            // The outline of a geofence may have a megabyte.
            return try .list("geofences", of: service, for: call, step: 10) { [filter] service, place, limit throws(Problem) in
                try service.geofences(filter, after: place, limit: limit)
            } json: {
                $0.json
            }
        })

    private static let bodies: [(type: String, schema: String)] = [
        ("application/json", "NewGeofence"), ("application/geo+json", "Feature"),
    ]

    private static let create = Route(
        "POST", "/v1/geofences", access: .admin,
        about: .init(
            "Creates a geofence. Without an id, the id is derived from the name, and nothing changes (200) if the same geofence already "
                + "exists. Devices that are inside enter it",
            query: [
                .init(
                    "onConflict",
                    "What happens without an id if another geofence has the same name: refuse (409, default), or rename, "
                        + "which gives it a free id",
                    oneOf: OnCreation.allCases.map(\.rawValue)),
                .asWritten,
            ], body: bodies, answer: "Geofence", status: 201, otherStatuses: [200], isTagged: true),
        work: .write { service, call throws(Problem) in
            let options = Queries.GeofenceOptions(
                asWritten: try call.flag("asWritten"), renames: try call.oneOf("onConflict", OnCreation.self) == .rename)
            return answer(try service.createGeofence(call.json(), options), call)
        })

    private enum OnCreation: String, CaseIterable { case refuse, rename }

    private static let get = Route(
        "GET", "/v1/geofences/{id}", access: .reader, restricted: .allowed,
        about: .init("One geofence", answer: "Geofence", otherStatuses: [304], isTagged: true),
        work: .read { service, call throws(Problem) in
            let json = try service.geofence(id: call.id).json
            try call.checkMatch(kind: .geofence, json.tag)
            return try call.clientHas(json.tag) ? .unchanged(json.tag) : Response.json(json).tagged(json.tag)
        })

    private static let put = Route(
        "PUT", "/v1/geofences/{id}", access: .admin,
        about: .init(
            "Creates a geofence, or replaces the one with this id", query: [.asWritten], body: bodies,
            answer: "Geofence", otherStatuses: [201], isTagged: true),
        work: .write { service, call throws(Problem) in
            let options = Queries.GeofenceOptions(asWritten: try call.flag("asWritten"))
            return answer(try service.saveGeofence(call.json(), id: call.id, options, on: call.condition()), call)
        })

    private static let patch = Route(
        "PATCH", "/v1/geofences/{id}", access: .admin,
        about: .init(
            "Changes some fields of a geofence (RFC 7396)", query: [.asWritten],
            body: [("application/merge-patch+json", "GeofencePatch"), ("application/json", "GeofencePatch")],
            answer: "Geofence", isTagged: true),
        work: .write { service, call throws(Problem) in
            let options = Queries.GeofenceOptions(asWritten: try call.flag("asWritten"))
            return answer(try service.patchGeofence(call.id, with: call.json(), options, on: call.condition()), call)
        })

    private static let remove = Route(
        "DELETE", "/v1/geofences/{id}", access: .admin,
        about: .init("Removes a geofence. Devices that are inside leave it", status: 204, isTagged: true),
        work: .write { service, call throws(Problem) in
            try service.removeGeofence(call.id, call.condition())
            return .nothing
        })

    private static let devices = Route(
        "GET", "/v1/geofences/{id}/devices", access: .reader, restricted: .allowed,
        about: .init("Lists the devices inside, and since when", query: RouteDescription.Parameter.paging, answer: "InsidePage"),
        work: .read { service, call throws(Problem) in
            var filter = Queries.DeviceFilter()
            filter.geofenceId = call.id
            return try .list("devices", of: service, for: call) { [filter] service, place, limit throws(Problem) in
                try service.deviceStatuses(filter, after: place, limit: limit)
            } json: {
                InsideDevice($0, geofence: call.id).json(in: AnswerLocale())
            }
        })

    private static func answer(_ saved: Queries.SavedGeofence, _ call: Call) -> Response {
        let json = ShownGeofence(saved.geofence, saved.note).json(in: AnswerLocale(call.head.language))
        let response = Response.json(json, status: saved.isNew ? 201 : 200).tagged(saved.geofence.json.tag)
        return saved.isNew ? response.with("Location", "/v1/geofences/\(PercentEncoding.escape(saved.geofence.id))") : response
    }
}
