import Core
import Geodesy
import Model

extension RouteDescription.Parameter {
    /// The query fields of lists that are read in pages.
    package static let paging: [RouteDescription.Parameter] = [
        .limit("Maximum number of entries"),
        .init("after", "Only entries after this; the value of 'next' in the previous page"),
    ]

    /// The query field `limit`; see `Call.limit()`.
    package static func limit(_ text: String) -> RouteDescription.Parameter {
        .init("limit", text + ", 1 to 10000; default: 1000", type: "integer", in: Call.limits)
    }

    /// The query field `until`; see `Call.period()`.
    package static let until = RouteDescription.Parameter("until", "Before this time; a day or a month is included")

    /// The query field `timezone`; see `Call.timeZone()`.
    package static let timeZone = RouteDescription.Parameter(
        "timezone", "Time zone of times without a zone, for example Europe/Berlin; default: the service's setting")

    /// The query field that says how the outline of a geofence is read.
    package static let asWritten = RouteDescription.Parameter(
        "asWritten",
        "Use edges of more than 180 degrees of longitude as written, not the short way across the antimeridian",
        type: "boolean")
}

extension Response {
    /// A page of a list: `{"<name>":[…],"next":…}`, without `next` at the end of the list.
    package static func page<Item>(
        _ name: String, _ page: Page<Item>, with more: [JSONValue.Member] = [], json: (Item) -> JSONValue
    )
        -> Response
    {
        var members: [JSONValue.Member] = [.init(name, .array(page.items.map(json)))]
        if let next = page.next { members.append(.init("next", .string(next))) }
        return .json(.object(members + more))
    }
}

extension Call {
    /// The query field that says where a page begins.
    package var after: String? { target["after"] }

    /// A position such as `52.5163,13.3777`, latitude first. Longitudes beyond ±180 are wrapped, like those of fixes.
    package func place(_ name: String) throws(Problem) -> Coordinate? {
        guard let text = target[name] else { return nil }
        let numbers = Self.numbers(text)
        guard numbers.count == 2 else {
            throw .validationFailed(
                field: name, value: text, reason: Phrase("the coordinates are not valid"),
                expected: Phrase("latitude,longitude in degrees, for example 52.5163,13.3777"))
        }
        let place = Coordinate(latitude: numbers[0], longitude: numbers[1])
        if let flaw = place.flaw(longitudes: 360) { throw flaw }
        return Coordinate(latitude: place.latitude, longitude: Coordinate.wrapped(longitude: place.longitude))
    }

    /// A box such as `minLon,minLat,maxLon,maxLat` (RFC 7946, 5). If its west is greater than its east, the box crosses the antimeridian.
    /// Longitudes beyond ±180 are wrapped, like those of fixes. A box of 360° or more covers all longitudes.
    package func box(_ name: String) throws(Problem) -> BoundingBox? {
        guard let text = target[name] else { return nil }
        let numbers = Self.numbers(text)
        guard numbers.count == 4, abs(numbers[0]) <= 360, abs(numbers[2]) <= 360, abs(numbers[1]) <= 90, abs(numbers[3]) <= 90,
            numbers[1] <= numbers[3]
        else {
            throw .validationFailed(
                field: name, value: text, reason: Phrase("it is not a box of coordinates"),
                expected: .box)
        }
        let (south, north) = (numbers[1], numbers[3])
        if numbers[2] - numbers[0] >= 360 { return BoundingBox(south: south, north: north, west: -180, east: 180) }
        let west = Coordinate.wrapped(longitude: numbers[0])
        var east = numbers[2] + (west - numbers[0])
        while east < west { east += 360 }
        return BoundingBox(south: south, north: north, west: west, east: east)
    }

    /// The numbers between commas; empty when one cannot be parsed.
    private static func numbers(_ text: String) -> [Double] {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0) }.filter(\.isFinite)
        return numbers.count == parts.count ? numbers : []
    }
}
