import Model

/// A geofence in the answer to a change.
package struct ShownGeofence: Sendable {
    private let geofence: Geofence
    private let note: GeofenceNote?

    /// - Parameter note: How the outline was read; nil if there is nothing to say.
    package init(_ geofence: Geofence, _ note: GeofenceNote?) {
        self.geofence = geofence
        self.note = note
    }
}

extension ShownGeofence: JSONWritable {
    package static let output = JSONOutput<ShownGeofence>(
        "Geofence", summary: "A circle (latitude, longitude, radius) or an area (geometry)",
        .init(membersOf: Geofence.output, content: \.geofence),
        .init(
            "notes", optional: .list(of: .object),
            summary: "In answers to changes: how the outline was read; ignored in requests",
            content: { shown in shown.note.map { [$0] } }))
}
