/// What a person is told of a geofence that was taken, because its outline can be read in two ways.
public struct GeofenceNote: Hashable, Sendable {
    public enum Code: String, CaseIterable, Sendable {
        /// Edges of more than 180° of longitude were taken the short way around the earth.
        case shortWay
        /// Such edges were taken as they are written, because the short way gives no area.
        case asWritten
    }

    public var code: Code
    public var geofenceId: String
    /// The longitudes between which the outline lies as it was taken, in degrees; they may go past ±180.
    public var west: Double
    public var east: Double

    public init(_ code: Code, geofenceId: String, west: Double, east: Double) {
        self.code = code
        self.geofenceId = geofenceId
        self.west = west
        self.east = east
    }

    /// As a member of `notes` in answers.
    public func json(in language: Language = .english) -> JSONValue {
        [
            "code": .string(code.rawValue), "geofenceId": .string(geofenceId), "west": JSONValue(west), "east": JSONValue(east),
            "message": .string(language.words.note(self)),
        ]
    }
}
