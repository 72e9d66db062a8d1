import Model

extension GeofenceNote: JSONDescribed {
    package static let shape = JSONShape<GeofenceNote>(
        "GeofenceNote", summary: "How an ambiguous outline was read",
        .init(
            "code", kind: .word,
            summary:
                "shortWay: edges of more than 180 degrees of longitude were taken across the antimeridian; asWritten: they were "
                + "not, because that gives no area",
            content: \.code),
        .init("geofenceId", kind: .text, summary: "The geofence's id", content: \.geofenceId),
        .init("west", kind: .number, summary: "The western edge in degrees; may be below -180", content: \.west),
        .init("east", kind: .number, summary: "The eastern edge in degrees; may be above 180", content: \.east),
        JSONMember<GeofenceNote, Void>("message", summary: "The note in words") { $1.geofenceNote($0) }
    ) { code, geofenceId, west, east, _ in GeofenceNote(code, geofenceId: geofenceId, west: west, east: east) }
}
