import Geodesy
import Geometry
import Model

extension Geofence {
    /// Interprets the outline of a polygon: edges longer than 180° of longitude take the short way around the earth if that results in a
    /// valid area.
    ///
    /// - Parameters:
    ///   - asWritten: Whether the outline stays as it is written.
    ///   - mends: Whether an outline that crosses itself will be repaired later.
    /// - Returns: A note for the person; nil if there is only one interpretation, or if `asWritten` is true.
    package mutating func readOutline(
        asWritten: Bool, mends: Bool = false, context: GEOSContext
    ) -> GeofenceNote? {
        guard !asWritten, case .polygons(let polygons) = shape else { return nil }
        let code: GeofenceNote.Code
        switch OutlineReading(of: polygons, repairs: mends, context: context) {
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
