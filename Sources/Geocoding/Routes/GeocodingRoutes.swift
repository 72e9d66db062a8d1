import Model
import Routing

/// The route that finds places.
package enum GeocodingRoutes {
    /// The work of the routes uses the geocoder of the service, if it has one.
    package static let all: [Route<Geocoder?>] = [places]

    private static let longestText = 200

    private static let places = Route<Geocoder?>(
        "GET", "/v1/geocode", access: .reader, restricted: .allowed,
        about: .init(
            "Finds places by their name or address, with the geocoder of the setting 'geocoder', which gets the text",
            query: [.init("q", "The name or the address, at most \(longestText) characters", isRequired: true)],
            answer: "FoundPlaces"),
        work: .task { geocoder, call throws(Problem) in
            let text = (call.target["q"] ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard (1...longestText).contains(text.count) else {
                throw .validationFailed(
                    field: "q", value: String(text.prefix(60)), reason: text.isEmpty ? .empty : Phrase("it is too long"),
                    expected: Phrase("a name or an address of at most \(longestText) characters"))
            }
            guard let geocoder else { throw Geocoder.missing(for: "q") }
            let answers = try await GeocoderAnswers(to: [.places(text)], from: geocoder, for: call)
            guard let places = answers.places(text) else {
                let problem = answers.problem ?? .cancelled
                switch problem {
                // Too many questions wait, or the service stops.
                case .rateLimited, .cancelled: throw problem
                // The problem is one of the geocoder, for example that it cannot be reached.
                default: return .problem(problem, status: 502)
                }
            }
            return .json(["places": places, "attribution": .string(Geocoder.attribution)])
        })
}

extension Schemas {
    /// The schemas of the route that finds places.
    package static let geocoding: [Named] = [
        named(FoundPlace.output),
        (
            "FoundPlaces",
            object(
                "The places that the geocoder has found, the best first",
                [
                    "places": ["type": "array", "items": any("FoundPlace")],
                    "attribution": text("What has to be shown with the places"),
                ])
        ),
    ]
}
