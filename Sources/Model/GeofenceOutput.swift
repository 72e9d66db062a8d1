import Geodesy

extension Geofence: JSONWritable {
    /// The flat form: every field by its name; `latitude`, `longitude` and `radius` for a circle, else `geometry`.
    package static let output = JSONOutput<Geofence>(
        "GeofenceFields", summary: "A circle (latitude, longitude, radius) or an area (geometry)",
        .init("id", optional: .text, summary: "1 to 64 of A-Z a-z 0-9 . _ -", content: \.id),
        .init("name", optional: .text, summary: "The name for people, 1 to 120 characters", content: \.name),
        .init(
            "latitude", optional: .number, summary: "The latitude of a circle's center in degrees",
            content: \.circle?.center.latitude),
        .init(
            "longitude", optional: .number, summary: "The longitude of a circle's center in degrees",
            content: \.circle?.center.longitude),
        .init("radius", optional: .number, summary: "The radius of a circle in meters, 1 to 1000000", content: \.circle?.radius),
        .init(
            "geometry", optional: .anyObject,
            summary: "A GeoJSON geometry (RFC 7946): Polygon or MultiPolygon; in requests also Point, with a radius",
            content: { $0.circle == nil ? $0.shape.geometry.members : nil }),
        .init("isActive", optional: .flag, summary: "Inactive geofences are stored but not evaluated", content: \.isActive),
        .init(
            "priority", optional: .whole, summary: "When a phone can watch too few geofences, higher priorities are preferred",
            content: \.priority),
        .init(
            "triggers", optional: .list(of: .oneOf(Triggers.named.map(\.name))), summary: "The transitions that sinks are sent",
            content: \.triggers.names),
        .init("dwell", optional: .number, summary: "Seconds inside after which a dwell event is emitted", content: \.dwell),
        .init(
            "devices", optional: .list(of: .text),
            summary: "The ids of the devices that the geofence is for; it is for all without devices and groups",
            content: \.devices),
        .init("groups", optional: .list(of: .text), summary: "The groups that it is for", content: \.groups),
        .init("policy", optional: .policy, content: \.policy.nonEmpty),
        .init("properties", optional: .anyObject, summary: "Any other data; events carry it", content: \.properties),
        .init(
            asWritten, optional: .flag,
            summary: "Whether edges of more than 180 degrees of longitude are meant as they are written",
            content: { $0.shape.hasWideEdge ? true : nil }))

    private var circle: Circle? { if case .circle(let circle) = shape { circle } else { nil } }
}
