/// A note to a person who added a geofence, because its outline can be read in two ways.
public struct GeofenceNote: Hashable, Sendable {
    public enum Code: String, CaseIterable, Sendable {
        /// Edges of more than 180° of longitude were read as the short way around the earth.
        case shortWay
        /// Edges of more than 180° of longitude were kept as written, because the short way gives no area.
        case asWritten
    }

    public var code: Code
    public var geofenceId: String
    /// The longitudes between which the outline lies, as it was read, in degrees; they may exceed ±180.
    public var west: Double
    public var east: Double

    public init(_ code: Code, geofenceId: String, west: Double, east: Double) {
        self.code = code
        self.geofenceId = geofenceId
        self.west = west
        self.east = east
    }
}
