import Geometry
import Model

/// Two geofences that overlap or touch.
package struct GeofenceOverlap: Sendable {
    package var a: String
    package var b: String
    package var overlap: Overlap
    /// The name of `b`; nil if the recipient already knows `b`.
    var nameOfB: String?
}

extension GeofenceOverlap: JSONDescribed {
    package static let shape = JSONShape<GeofenceOverlap>(
        "GeofenceOverlap", summary: "Two geofences that overlap or touch",
        .init("a", kind: .text, summary: "The id of one; draft for a draft without an id", content: \.a),
        .init("b", kind: .text, summary: "The id of the other", content: \.b),
        .init("nameOfB", optional: .text, summary: "The name of b, in answers about a draft", content: \.nameOfB),
        .init("relation", kind: .word, summary: "How a relates to b", content: \.overlap.relation),
        .init("sharedArea", kind: .number, summary: "The shared area in square meters", content: \.roundedArea),
        .init("shareOfA", kind: .number, summary: "The shared part of a, 0 to 1", content: \.roundedShareOfA),
        .init("shareOfB", kind: .number, summary: "The shared part of b, 0 to 1", content: \.roundedShareOfB),
        make: GeofenceOverlap.init)

    private init(
        _ a: String, _ b: String, _ name: String?, _ relation: Overlap.Relation, _ area: Double, _ shareOfA: Double,
        _ shareOfB: Double
    ) {
        let overlap = Overlap(relation: relation, sharedArea: area, shareOfA: shareOfA, shareOfB: shareOfB)
        self.init(a: a, b: b, overlap: overlap, nameOfB: name)
    }

    private var roundedArea: Double { (overlap.sharedArea * 100).rounded() / 100 }
    private var roundedShareOfA: Double { (overlap.shareOfA * 1e6).rounded() / 1e6 }
    private var roundedShareOfB: Double { (overlap.shareOfB * 1e6).rounded() / 1e6 }
}
