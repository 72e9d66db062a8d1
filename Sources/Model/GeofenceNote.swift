import Geodesy

/// A note to a person who added geofences: how an outline was read that can be read in two ways, or where the geofences are.
public enum GeofenceNote: Hashable, Sendable {
    /// Edges of more than 180° of longitude were read as the short way around the earth. The outline reaches from one longitude to the
    /// other, in degrees; they may exceed ±180.
    case shortWay(geofenceId: String, west: Double, east: Double)
    /// Edges of more than 180° of longitude were kept as written, because the short way gives no area.
    case asWritten(geofenceId: String, west: Double, east: Double)
    /// The center of an imported geofence.
    case place(geofenceId: String, Coordinate)
    /// The area in which all imported geofences are. Its longitudes may exceed 180.
    case area(BoundingBox)
    /// The geofence at a place is this many meters from the nearest other one, which is unusually far.
    case farAway(geofenceId: String, Coordinate, distance: Double)
    /// As `farAway`, and the place with latitude and longitude exchanged is near the other geofences.
    case swapped(geofenceId: String, Coordinate, distance: Double)

    /// What a note is about.
    package enum Code: String, CaseIterable, Sendable {
        case shortWay, asWritten, place, area, farAway, swapped
    }

    /// What the note is about.
    package var code: Code {
        switch self {
        case .shortWay: .shortWay
        case .asWritten: .asWritten
        case .place: .place
        case .area: .area
        case .farAway: .farAway
        case .swapped: .swapped
        }
    }

    /// The note on an outline with another id of its geofence. Other notes are returned as they are.
    package func with(geofenceId id: String) -> GeofenceNote {
        switch self {
        case .shortWay(_, let west, let east): .shortWay(geofenceId: id, west: west, east: east)
        case .asWritten(_, let west, let east): .asWritten(geofenceId: id, west: west, east: east)
        case .place, .area, .farAway, .swapped: self
        }
    }
}

extension GeofenceNote {
    /// Sentences that say how the outline was read and how to have it read the other way, or where the geofences are.
    public var message: Phrase {
        switch self {
        case .shortWay(let id, let west, let east):
            Phrase(
                """
                The outline of '\(id)' has edges of more than 180° of longitude. Picket uses the short way, across the antimeridian: it \
                reaches \(span(west, east)). To use them as written, add --as-written (HTTP: asWritten=true).
                """)
        case .asWritten(let id, let west, let east):
            Phrase(
                """
                The outline of '\(id)' has edges of more than 180° of longitude. Picket uses them as written, because the short way \
                gives no area: it reaches \(span(west, east)). Check that this is what you mean.
                """)
        case .place(let id, let center): Phrase("'\(id)' is around \(center.pair).")
        case .area(let box):
            Phrase(
                """
                The geofences are between latitudes \(box.south.hundredths) and \(box.north.hundredths), longitudes \
                \(box.west.hundredths) and \(box.east.hundredths).
                """)
        case .farAway(let id, let center, let distance):
            Phrase(
                """
                '\(id)', around \(center.pair), is \(distance.roughKilometers) km from every other geofence. Check that this is what \
                you mean.
                """)
        case .swapped(let id, let center, let distance):
            Phrase(
                """
                '\(id)', around \(center.pair), is \(distance.roughKilometers) km from the other geofences, but \
                \(center.exchanged.pair) is near them: are latitude and longitude swapped?
                """)
        }
    }

    private func span(_ west: Double, _ east: Double) -> Phrase {
        Phrase("from longitude \(JSONValue(west).description) to \(JSONValue(east).description)")
    }
}

// Parts of the texts of notes.

extension Coordinate {
    /// Latitude and longitude as in a text.
    fileprivate var pair: String { "\(JSONValue(latitude)), \(JSONValue(longitude))" }

    /// The place with latitude and longitude exchanged.
    fileprivate var exchanged: Coordinate { Coordinate(latitude: longitude, longitude: latitude) }
}

extension Double {
    /// Degrees with two decimals.
    fileprivate var hundredths: String { JSONValue((self * 100).rounded() / 100).description }

    /// Meters as kilometers with two significant digits.
    fileprivate var roughKilometers: Int {
        var unit = 1.0
        while self / 1000 >= unit * 100 { unit *= 10 }
        return Int((self / 1000 / unit).rounded() * unit)
    }
}
