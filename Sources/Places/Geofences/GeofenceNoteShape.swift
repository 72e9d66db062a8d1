import Geodesy
import Model

extension GeofenceNote: JSONDescribed {
    package static let shape = JSONShape<GeofenceNote>(
        "GeofenceNote", summary: "How an ambiguous outline was read, or where imported geofences are",
        JSONMember<GeofenceNote, Code>(
            "code", kind: .word,
            summary:
                "shortWay: edges of more than 180 degrees of longitude were taken across the antimeridian; asWritten: they were "
                + "not, because that gives no area; place: the center of a geofence; area: all geofences are in it; farAway: the "
                + "geofence is far from every other one; swapped: it is, and latitude and longitude seem to be swapped",
            content: \.code),
        JSONMember<GeofenceNote, String?>("geofenceId", optional: .text, summary: "The geofence's id", content: \.geofenceId),
        JSONMember<GeofenceNote, Double?>(
            "latitude", optional: .number, summary: "The geofence's center in degrees", content: \.latitude),
        JSONMember<GeofenceNote, Double?>(
            "longitude", optional: .number, summary: "The geofence's center in degrees", content: \.longitude),
        JSONMember<GeofenceNote, Double?>(
            "distance", optional: .number, summary: "Meters to the nearest other geofence", content: \.distance),
        JSONMember<GeofenceNote, Double?>("south", optional: .number, summary: "The southern edge in degrees", content: \.south),
        JSONMember<GeofenceNote, Double?>("north", optional: .number, summary: "The northern edge in degrees", content: \.north),
        JSONMember<GeofenceNote, Double?>(
            "west", optional: .number, summary: "The western edge in degrees; may be below -180", content: \.west),
        JSONMember<GeofenceNote, Double?>(
            "east", optional: .number, summary: "The eastern edge in degrees; may be above 180", content: \.east),
        JSONMember<GeofenceNote, Void>("message", summary: "The note in words") { $0.message.text(in: $1) }
    ) { code, id, latitude, longitude, distance, south, north, west, east, _ throws(JSONMismatch) -> GeofenceNote in
        let members = Members(
            id: id, latitude: latitude, longitude: longitude, distance: distance, south: south, north: north, west: west,
            east: east)
        return try members.note(code)
    }

    /// The members of a note in JSON, apart from its code.
    private struct Members {
        var id: String?
        var latitude, longitude, distance, south, north, west, east: Double?

        /// - Throws: `JSONMismatch` if a member is missing.
        func note(_ code: Code) throws(JSONMismatch) -> GeofenceNote {
            switch code {
            case .shortWay: .shortWay(geofenceId: try geofence, west: try number(west, "west"), east: try number(east, "east"))
            case .asWritten: .asWritten(geofenceId: try geofence, west: try number(west, "west"), east: try number(east, "east"))
            case .place: .place(geofenceId: try geofence, try center)
            case .area:
                .area(
                    BoundingBox(
                        south: try number(south, "south"), north: try number(north, "north"), west: try number(west, "west"),
                        east: try number(east, "east")))
            case .farAway: .farAway(geofenceId: try geofence, try center, distance: try number(distance, "distance"))
            case .swapped: .swapped(geofenceId: try geofence, try center, distance: try number(distance, "distance"))
            }
        }

        private var geofence: String {
            get throws(JSONMismatch) {
                guard let id else { throw JSONMismatch(member: "geofenceId", expected: .text) }
                return id
            }
        }

        private var center: Coordinate {
            get throws(JSONMismatch) {
                Coordinate(latitude: try number(latitude, "latitude"), longitude: try number(longitude, "longitude"))
            }
        }

        private func number(_ value: Double?, _ name: String) throws(JSONMismatch) -> Double {
            guard let value else { throw JSONMismatch(member: name, expected: .number) }
            return value
        }
    }

    private var geofenceId: String? {
        switch self {
        case .shortWay(let id, _, _), .asWritten(let id, _, _), .place(let id, _), .farAway(let id, _, _),
            .swapped(let id, _, _):
            id
        case .area: nil
        }
    }

    private var center: Coordinate? {
        switch self {
        case .place(_, let center), .farAway(_, let center, _), .swapped(_, let center, _): center
        case .shortWay, .asWritten, .area: nil
        }
    }

    private var box: BoundingBox? {
        guard case .area(let box) = self else { return nil }
        return box
    }

    private var longitudes: (west: Double, east: Double)? {
        switch self {
        case .shortWay(_, let west, let east), .asWritten(_, let west, let east): (west, east)
        case .area(let box): (box.west, box.east)
        case .place, .farAway, .swapped: nil
        }
    }

    private var latitude: Double? { center?.latitude }
    private var longitude: Double? { center?.longitude }
    private var south: Double? { box?.south }
    private var north: Double? { box?.north }
    private var west: Double? { longitudes?.west }
    private var east: Double? { longitudes?.east }

    private var distance: Double? {
        switch self {
        case .farAway(_, _, let distance), .swapped(_, _, let distance): distance
        case .shortWay, .asWritten, .place, .area: nil
        }
    }
}
