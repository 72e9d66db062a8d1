/// The relation of two areas, and the area that they share.
package struct Overlap: Hashable, Sendable {
    /// How two areas relate to each other.
    package enum Relation: String, CaseIterable, Sendable {
        /// No common point.
        case disjoint
        /// Common boundary points only. Circles count as touching within a tolerance of one millimeter.
        case touches
        case overlaps
        /// The first contains the second.
        case contains
        /// The second contains the first.
        case within
        case equals
    }

    package var relation: Relation
    /// Square meters.
    package var sharedArea: Double
    /// The shared area as a fraction of the first area, 0 … 1.
    package var shareOfA: Double
    /// The shared area as a fraction of the second area, 0 … 1.
    package var shareOfB: Double

    package init(relation: Relation, sharedArea: Double, shareOfA: Double, shareOfB: Double) {
        self.relation = relation
        self.sharedArea = sharedArea
        self.shareOfA = shareOfA
        self.shareOfB = shareOfB
    }

    static let disjoint = Overlap(relation: .disjoint, sharedArea: 0, shareOfA: 0, shareOfB: 0)
}

extension Overlap {
    /// The overlap with the two areas exchanged.
    var mirrored: Overlap {
        let relation: Relation =
            switch relation {
            case .contains: .within
            case .within: .contains
            default: relation
            }
        return Overlap(relation: relation, sharedArea: sharedArea, shareOfA: shareOfB, shareOfB: shareOfA)
    }
}

extension GEOSGeometry {
    /// The area with a number of degrees added to its longitudes.
    func moved(east degrees: Double) throws(GEOSFailure) -> GEOSGeometry {
        try GEOSGeometry.polygons(
            parts().map { $0.map { $0.map { PlanePoint(x: $0.x + degrees, y: $0.y) } } }, in: context)
    }
}
