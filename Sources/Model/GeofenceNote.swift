/// A note to a person who added a geofence, because its outline can be read in two ways.
public struct GeofenceNote: Hashable, Sendable {
    /// How the outline was read.
    public enum Code: String, CaseIterable, Sendable {
        /// Edges of more than 180° of longitude were read as the short way around the earth.
        case shortWay
        /// Edges of more than 180° of longitude were kept as written, because the short way gives no area.
        case asWritten
    }

    /// How the outline was read.
    public var code: Code
    /// The geofence's id.
    public var geofenceId: String
    /// The longitudes between which the outline lies, as it was read, in degrees; they may exceed ±180.
    public var west: Double
    /// The eastern one of the two longitudes.
    public var east: Double

    /// Makes a note on a geofence whose outline lies between two longitudes, in degrees.
    public init(_ code: Code, geofenceId: String, west: Double, east: Double) {
        self.code = code
        self.geofenceId = geofenceId
        self.west = west
        self.east = east
    }
}
