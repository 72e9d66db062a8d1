import Model

/// How the log reports the transitions of one geofence.
package struct GeofenceComparison: Hashable, Sendable {
    /// The geofence's id, or an identifier that no geofence has.
    package var geofenceID: String
    package var name: String
    package var tally: ComparisonTally
}

extension GeofenceComparison: JSONDescribed {
    package static let shape = JSONShape<GeofenceComparison>(
        "GeofenceComparison", summary: "How a log reports the transitions of one geofence",
        .init("geofenceId", kind: .text, summary: "The geofence, or an identifier that no geofence has", content: \.geofenceID),
        .init("name", kind: .text, summary: "The geofence's name", content: \.name),
        JSONMember<GeofenceComparison, ComparisonTally>(membersOf: ComparisonTally.shape, content: \.tally)
    ) { id, name, tally in GeofenceComparison(geofenceID: id, name: name, tally: tally) }
}
