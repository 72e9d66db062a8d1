import Model

extension GeofenceNote: JSONDescribed {
    package static let shape = JSONShape<GeofenceNote>(
        "GeofenceNote", summary: "How an outline was read that can be read in two ways",
        .init(
            "code", kind: .word,
            summary:
                "shortWay: edges of more than 180 degrees of longitude were taken across the antimeridian; asWritten: they were "
                + "not, because that gives no area",
            content: \.code),
        .init("geofenceId", kind: .text, summary: "Its id", content: \.geofenceId),
        .init("west", kind: .number, summary: "Where it begins, degrees; may be below -180", content: \.west),
        .init("east", kind: .number, summary: "Where it ends, degrees; may be above 180", content: \.east),
        JSONMember<GeofenceNote, Void>("message", summary: "The same in words") { $1.geofenceNote($0) }
    ) { code, geofenceId, west, east, _ in GeofenceNote(code, geofenceId: geofenceId, west: west, east: east) }
}
