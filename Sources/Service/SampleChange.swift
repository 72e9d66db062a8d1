import Model
import Store

/// The result of loading or removing the sample data.
package struct SampleChange: Sendable {
    package var geofences = 0
    package var devices = 0
    package var fixes = 0
    package var events = 0
    /// The ids that were not changed: when loading, those of a person's own objects; when removing, those of objects that were changed
    /// since.
    package var kept: [String] = []
}

extension SampleChange: JSONDescribed {
    package static let shape = JSONShape<SampleChange>(
        "What was made, or removed",
        .init("geofences", .whole, "Geofences", \.geofences),
        .init("devices", .whole, "Devices", \.devices),
        .init("fixes", .whole, "Positions", \.fixes),
        .init("events", .whole, "Events", \.events),
        .init("kept", .list(of: .text), "Ids of what was left alone: somebody's own, or changed since", \.kept)
    ) { geofences, devices, fixes, events, kept in
        SampleChange(geofences: geofences, devices: devices, fixes: fixes, events: events, kept: kept)
    }
}
