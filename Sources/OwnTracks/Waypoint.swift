import Geodesy
import Model
import Registry

/// An entry in the list of regions of an OwnTracks app (OwnTracks booklet, "JSON", `waypoint`).
package struct Waypoint: Hashable, Sendable {
    /// The entry as the app sent it. It includes members that Picket does not know, so that a person's own waypoint can be restored
    /// unchanged.
    package let json: JSONValue
    /// The circle of the waypoint; nil for a beacon, and for a waypoint without a valid coordinate or without a radius.
    package let circle: Circle?
    /// `tst`: the time of creation in seconds since 1970. Identifies the waypoint on Android.
    package let time: Int?
    /// `rid`: identifies the waypoint on iOS. Android has no `rid`.
    package let rid: String?

    /// Reads an entry of a list that an app has published; nil if the entry is not a JSON object.
    package init?(_ json: JSONValue) {
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

    /// `desc`: the name that people see in the app.
    var name: String { json["desc"]?.string ?? "" }

    /// Whether the waypoint is the region with which the app on iOS follows the phone. Only the app may change it.
    var followsPhone: Bool { name.hasPrefix("+") }

    /// Whether Android treats both as the same waypoint, and their circles are equal within the precision of the lists.
    func matches(_ other: Waypoint) -> Bool {
        guard time == other.time else { return false }
        guard let circle, let theirs = other.circle else { return circle == nil && other.circle == nil }
        return abs(circle.center.latitude - theirs.center.latitude) <= 1e-6
            && abs(circle.center.longitude - theirs.center.longitude) <= 1e-6 && abs(circle.radius - theirs.radius) <= 1
    }

    /// Whether the app has the operating system watch the waypoint.
    var isWatched: Bool { circle != nil || json["uuid"] != nil }
}

// MARK: - JSON for the app

extension Waypoint {
    /// The waypoint that makes an app watch a region. Coordinates are rounded to six decimals and radii to whole meters, as in the lists
    /// that the apps publish.
    ///
    /// - Parameter time: The value of `tst`. It must differ from that of all other waypoints.
    static func json(of region: Region, name: String, time: Int) -> JSONValue {
        let center = region.circle.center
        return [
            "_type": "waypoint", "desc": .string(description(name)), "lat": rounded(center.latitude),
            "lon": rounded(center.longitude), "rad": JSONValue(max(1, region.circle.radius.rounded())),
            "tst": JSONValue(time), "rid": .string(region.id.text),
        ]
    }

    /// The waypoint that makes the app on iOS delete this one: the same waypoint with an invalid coordinate. Use it only for a waypoint in
    /// the app's latest list; the app would add any other one.
    var removal: JSONValue {
        .compact([
            ("_type", "waypoint"), ("desc", .string(name)), ("lat", JSONValue(-1_000_000)), ("lon", JSONValue(-1_000_000)),
            ("rad", JSONValue(0)), ("tst", time.map { JSONValue($0) }), ("rid", rid.map { .string($0) }),
        ])
    }

    /// A name without the characters that have a meaning for the apps: `:` and `|` separate it from a beacon's numbers, and `+` and `-`
    /// have meanings at the beginning.
    static func description(_ name: String) -> String {
        let text = String(name.map { ":|".contains($0) ? " " : $0 }).drop { "+- ".contains($0) }
        return text.isEmpty ? "Geofence" : String(text)
    }

    private static func rounded(_ degrees: Double) -> JSONValue { JSONValue((degrees * 1e6).rounded() / 1e6) }
}
