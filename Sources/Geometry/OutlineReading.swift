import Geodesy

/// How an outline is read whose edges span more than 180° of longitude as they are written.
public enum OutlineReading: Hashable, Sendable {
    /// No edge does: the outline is as it is written.
    case plain
    /// Such edges go the short way around the earth, across the antimeridian. The polygons have longitudes past ±180.
    case shortWay([Polygon])
    /// The short way gives no area: its outline does not close, or crosses itself. The outline stays as it is written.
    case asWritten

    /// Decides on the plausible reading. Every intake of geofences asks here, and nowhere else.
    ///
    /// - Parameter mends: Whether an outline that crosses itself counts as an area, because it is mended afterwards.
    public init(of polygons: [Polygon], mends: Bool = false, context: GEOSContext) {
        guard polygons.contains(where: \.hasWideEdge) else {
            self = .plain
            return
        }
        self = .asWritten
        // Projected metres are no longitudes, and do not become longitudes by whole turns.
        guard let written = Self.longitudes(polygons), written.west >= -360, written.east <= 360,
            let short = Antimeridian.takingShortWay(polygons),
            let taken = Self.longitudes(short), taken.west >= -360, taken.east <= 360, taken.east - taken.west <= 360
        else { return }
        let isArea =
            PolygonArea.flaw(short, context: context) == nil
            || mends && PolygonArea.mended(short, context: context) != nil
        if isArea { self = .shortWay(short) }
    }

    /// The longitudes between which all corners lie; nil where there is no corner.
    private static func longitudes(_ polygons: [Polygon]) -> (west: Double, east: Double)? {
        let all = polygons.lazy.flatMap { $0.rings.joined() }.map(\.longitude)
        guard let west = all.min(), let east = all.max() else { return nil }
        return (west, east)
    }
}
