import Model
import Routing
import Service

/// The route of a device's stops.
enum StopRoutes {
    typealias Route = Routing.Route<RunningJobs>

    static let all: [Route] = [stops]

    private static let stops = Route(
        "GET", "/v1/devices/{id}/stops", access: .reader, restricted: .allowed,
        about: .init(
            "Lists where a device stood still outside of geofences, in order of time",
            query: [
                .init("since", "Only positions from this time on; \(TimeReader.forms)"), .until, .timeZone,
                .init("minDuration", "Only stops of at least this duration, for example 10m (default: 5m)"),
            ], answer: "StopList"),
        work: .task { _, call throws(Problem) in
            let (device, (since, until)) = (call.id, try call.period())
            let minDuration = try call.duration("minDuration", in: 0...TimeSpan.longest) ?? 300
            try await call.store.orderTracks(for: device, call.client)
            return try await call.store.heavyReaders.ask(for: call.client) { service throws(Problem) in
                let stops = try service.stops(ofDevice: device, since: since, until: until, minDuration: minDuration)
                return .json(["stops": .array(stops.map(\.json))])
            }
        })
}
