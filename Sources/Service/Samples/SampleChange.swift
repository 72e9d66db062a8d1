import Model

/// The result of loading or removing the sample data.
package struct SampleChange: Sendable {
    var geofences = 0
    var devices = 0
    var fixes = 0
    var events = 0
    /// The ids that were not changed: when loading, those of a person's own objects; when removing, those of objects that were changed
    /// since.
    var kept: [String] = []
}

extension SampleChange: JSONDescribed {
    package static let shape = JSONShape<SampleChange>(
        "SampleChange",
        summary: "What was created or removed",
        .init("geofences", kind: .whole, summary: "Geofences", content: \.geofences),
        .init("devices", kind: .whole, summary: "Devices", content: \.devices),
        .init("fixes", kind: .whole, summary: "Positions", content: \.fixes),
        .init("events", kind: .whole, summary: "Events", content: \.events),
        .init(
            "kept", kind: .list(of: .text),
            summary: "The ids of items that were kept, because they are not sample data or were changed",
            content: \.kept)
    ) { geofences, devices, fixes, events, kept in
        SampleChange(geofences: geofences, devices: devices, fixes: fixes, events: events, kept: kept)
    }
}
