/// A place of the app's user, as the app saves it.
public struct Place: Hashable, Sendable {
    /// 1 to 64 of `A-Z a-z 0-9 . _ -`.
    public var id: String
    public var name: String
    /// Degrees, WGS 84.
    public var latitude: Double
    /// Degrees, WGS 84.
    public var longitude: Double
    /// Meters.
    public var radius: Double

    public init(id: String, name: String, latitude: Double, longitude: Double, radius: Double) {
        self.id = id
        self.name = name
        self.latitude = latitude
        self.longitude = longitude
        self.radius = radius
    }
}
