import Geodesy
import Model
import Registry

/// An entry of the list that an OwnTracks app has of the regions that it registers (OwnTracks booklet, "JSON", `waypoint`).
public struct Waypoint: Hashable, Sendable {
    /// As the app has it, with members that Picket does not know, so that a person's own waypoint can be set again as it was.
    public let json: JSONValue
    /// Nil for a beacon, and for a waypoint that is no place or has no radius: these are no regions around a place.
    public let circle: Circle?
    /// `tst`: when it was made, in seconds since 1970. It identifies the waypoint on Android.
    public let time: Int?
    /// It identifies the waypoint on iOS. Android has none.
    public let rid: String?

    /// An entry of a list that an app has published; nil when it is not an object.
    public init?(_ json: JSONValue) {
        guard json.members != nil else { return nil }
        self.json = json
        time = json["tst"]?.double.flatMap { Int(exactly: $0.rounded()) }
        rid = json["rid"]?.string
        let radius = json["rad"]?.double ?? 0
        if let latitude = json["lat"]?.double, let longitude = json["lon"]?.double, radius > 0, radius.isFinite,
            Coordinate(latitude: latitude, longitude: longitude).isValid
        {
            circle = Circle(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius)
        } else {
            circle = nil
        }
    }

    /// `desc`: what people read in the app.
    var name: String { json["desc"]?.string ?? "" }

    /// Whether it is a region by which the app on iOS follows the phone. Nobody else may touch it.
    var followsPhone: Bool { name.hasPrefix("+") }

    /// Whether it is the same waypoint for Android, at the same place, as exactly as lists say it.
    func agrees(with other: Waypoint) -> Bool {
        guard time == other.time else { return false }
        guard let circle, let theirs = other.circle else { return circle == nil && other.circle == nil }
        return abs(circle.center.latitude - theirs.center.latitude) <= 1e-6
            && abs(circle.center.longitude - theirs.center.longitude) <= 1e-6 && abs(circle.radius - theirs.radius) <= 1
    }

    /// Whether the app has the system watch it.
    var isWatched: Bool { circle != nil || json["uuid"] != nil }
}

// MARK: - What an app is sent

extension Waypoint {
    /// What has an app watch a region. Places have six decimals and radii no fraction, as in the lists that the apps publish.
    ///
    /// - Parameter time: Different from those of all other waypoints.
    static func json(of region: Region, name: String, time: Int) -> JSONValue {
        let center = region.circle.center
        return [
            "_type": "waypoint", "desc": .string(description(name)), "lat": rounded(center.latitude),
            "lon": rounded(center.longitude), "rad": JSONValue(max(1, region.circle.radius.rounded())),
            "tst": JSONValue(time), "rid": .string(region.id.text),
        ]
    }

    /// What has the app on iOS forget this waypoint: the same one at a place that is none. Only for a waypoint of the app's latest list:
    /// any other one would be added.
    var removal: JSONValue {
        .compact([
            ("_type", "waypoint"), ("desc", .string(name)), ("lat", JSONValue(-1_000_000)), ("lon", JSONValue(-1_000_000)),
            ("rad", JSONValue(0)), ("tst", time.map { JSONValue($0) }), ("rid", rid.map { .string($0) }),
        ])
    }

    /// A name that the apps take for a name: `:` and `|` part it from a beacon's numbers, and `+` and `-` at its beginning have meanings
    /// of their own.
    static func description(_ name: String) -> String {
        let text = String(name.map { ":|".contains($0) ? " " : $0 }).drop { "+- ".contains($0) }
        return text.isEmpty ? "Geofence" : String(text)
    }

    private static func rounded(_ degrees: Double) -> JSONValue { JSONValue((degrees * 1e6).rounded() / 1e6) }
}
