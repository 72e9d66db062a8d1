import Geodesy
import Geometry
import Model

extension Geofence {
    /// Reads the outline of a polygon that somebody has written: edges of more than 180° of longitude go the short way around the
    /// earth where that gives an area.
    ///
    /// - Parameters:
    ///   - asWritten: Whether it stays as it is written.
    ///   - mends: Whether an outline that crosses itself will be mended.
    /// - Returns: What to tell of it; nil where there is one way to read it, or the person has chosen.
    public mutating func readOutline(
        asWritten: Bool, mends: Bool = false, context: GEOSContext
    ) -> GeofenceNote? {
        guard !asWritten, case .polygons(let polygons) = shape else { return nil }
        let code: GeofenceNote.Code
        switch OutlineReading(of: polygons, mends: mends, context: context) {
        case .plain: return nil
        case .asWritten: code = .asWritten
        case .shortWay(let short):
            shape = .polygons(short)
            code = .shortWay
        }
        let box = shape.boundingBox
        return GeofenceNote(code, geofenceId: id, west: box.west, east: box.east)
    }
}
