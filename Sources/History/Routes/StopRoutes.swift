import Geocoding
import Model
import Routing

/// The route of a device's stops.
enum StopRoutes {
    typealias Route = Routing.Route<Geocoder?>

    static let all: [Route] = [stops]

    private static let stops = Route(
        "GET", "/v1/devices/{id}/stops", access: .reader, restricted: .allowed,
        about: .init(
            "Lists where a device stood still outside of geofences, in order of time",
            query: [
                .init("since", "Only positions from this time on; \(TimeReader.forms)"), .until, .timeZone,
                .init("minDuration", "Only stops of at least this duration, for example 10m (default: 5m)"),
                .init("addresses", "Also their addresses, from the geocoder, which gets their coordinates", type: "boolean"),
            ], answer: "StopList"),
        work: .task { geocoder, call throws(Problem) in
            let (device, (since, until)) = (call.id, try call.period())
            let minDuration = try call.duration("minDuration", in: 0...TimeSpan.longest) ?? 300
            let asksGeocoder = try call.flag("addresses")
            if asksGeocoder, geocoder == nil { throw Geocoder.missing(for: "addresses") }
            try await call.store.orderTracks(for: device, call.client)
            let (stops, source) = try await call.store.heavyReaders.ask(for: call.client) { service throws(Problem) in
                try service.stops(ofDevice: device, since: since, until: until, minDuration: minDuration)
            }
            var list = StopList(stops: stops)
            if asksGeocoder, let geocoder, let source {
                let questions = stops.map { GeocoderQuestion(addressOf: $0.coordinate) }
                let answers = try await GeocoderAnswers(to: questions, from: geocoder, for: call) { service throws(Problem) in
                    try service.isStored(source)
                }
                list.add(answers)
            }
            return .json(list.json(in: call.head.language))
        })
}
