import Geodesy

/// How to interpret an outline with edges that span more than 180° of longitude as written.
package enum OutlineReading: Hashable, Sendable {
    /// There is no such edge.
    case plain
    /// Such edges go the short way around the earth, across the antimeridian. The associated polygons have longitudes past ±180.
    case shortWay([Polygon])
    /// The short way gives no valid area, because the outline does not close or crosses itself. The outline stays as written.
    case asWritten

    /// Chooses the plausible reading. All imports of geofences use this initializer.
    ///
    /// - Parameter repairs: Whether a self-intersecting outline counts as valid, because the caller repairs it afterward.
    package init(of polygons: [Polygon], repairs: Bool = false, context: GEOSContext) {
        guard polygons.contains(where: \.hasWideEdge) else {
            self = .plain
            return
        }
        self = .asWritten
        // Projected coordinates in meters are out of the range of longitudes, and adding turns does not change that.
        guard let written = Self.longitudes(polygons), written.west >= -360, written.east <= 360,
            let short = Antimeridian.takingShortWay(polygons),
            let taken = Self.longitudes(short), taken.west >= -360, taken.east <= 360, taken.east - taken.west <= 360
        else { return }
        let isArea =
            PolygonArea.flaw(short, context: context) == nil
            || repairs && PolygonArea.repaired(short, context: context) != nil
        if isArea { self = .shortWay(short) }
    }

    /// The range of the longitudes of all corners; nil if there are no corners.
    private static func longitudes(_ polygons: [Polygon]) -> (west: Double, east: Double)? {
        let all = polygons.lazy.flatMap { $0.rings.joined() }.map(\.longitude)
        guard let west = all.min(), let east = all.max() else { return nil }
        return (west, east)
    }
}
