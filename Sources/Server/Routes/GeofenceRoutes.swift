import Geodesy
import Model
import Service

/// Geofences.
enum GeofenceRoutes {
    static let all: [Route] = [get, list]

    private static let list = Route(
        "GET", "/v1/geofences", .reader,
        .init("Geofences by id", answer: "GeofencePage"),
        .read { service, call throws(Problem) in
            var found: [JSONValue] = []
            let limit = try call.limit()
            try service.forEachGeofence(matching: call.target["matching"]) { if found.count < limit { found.append($0.json) } }
            return .json(["geofences": .array(found)])
        })

    private static let get = Route(
        "GET", "/v1/geofences/{id}", .reader, .init("One geofence", answer: "Geofence"),
        .read { service, call throws(Problem) in .json(try service.geofence(id: call.id).json) })
}
