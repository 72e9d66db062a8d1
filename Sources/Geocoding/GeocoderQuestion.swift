import Geodesy
import Model

/// A question to a geocoder, in the API of Nominatim (https://nominatim.org/release-docs/latest/api/Overview/).
package enum GeocoderQuestion: Hashable, Sendable {
    /// The address of a place, in ten-thousandths of a degree: about 11 m. The server gets no more exact place.
    case address(latitude: Int, longitude: Int)
    /// The places that a text describes.
    case places(String)

    package init(addressOf coordinate: Coordinate) {
        self = .address(
            latitude: Int((coordinate.latitude * 10_000).rounded()), longitude: Int((coordinate.longitude * 10_000).rounded()))
    }

    /// The question in the store.
    var key: String {
        switch self {
        case .address(let latitude, let longitude): "\(Self.degrees(latitude)),\(Self.degrees(longitude))"
        case .places(let text): "?" + text
        }
    }

    private static func degrees(_ number: Int) -> Double { Double(number) / 10_000 }

    /// The maximum number of places that a search finds.
    private static let mostPlaces = 5

    /// The path and the query of the request, with a leading slash.
    func target(in language: Language) -> String {
        let question =
            switch self {
            case .address(let latitude, let longitude):
                "reverse?lat=\(Self.degrees(latitude))&lon=\(Self.degrees(longitude))&zoom=18&addressdetails=0"
            case .places(let text): "search?q=\(PercentEncoding.escape(text))&limit=\(Self.mostPlaces)"
            }
        return "/\(question)&format=jsonv2&accept-language=\(PercentEncoding.escape(language.rawValue))"
    }

    /// The text of the error with which Nominatim says that a place has no address, for example in an ocean.
    private static let noAddress = "Unable to geocode"

    /// The answer as it is stored: the address as a text, or null if there is none; or a list of places.
    ///
    /// - Parameter json: The body of the server's response.
    /// - Returns: nil if the response is not one of Nominatim's API.
    func answer(from json: JSONValue) -> JSONValue? {
        switch self {
        case .address:
            if json["error"]?.string == Self.noAddress { return .null }
            return json["display_name"]?.string.map { .string(FoundPlace.name($0)) }
        case .places:
            guard let elements = json.array else { return nil }
            let places = elements.prefix(Self.mostPlaces).compactMap(FoundPlace.init(nominatim:))
            return places.count == min(elements.count, Self.mostPlaces) ? .array(places.map { $0.json(in: AnswerLocale()) }) : nil
        }
    }
}
