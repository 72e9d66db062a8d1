import Geodesy
import Geometry
import Model

extension Geofence {
    /// Interprets the outline of a polygon: edges longer than 180° of longitude take the short way around the earth if that results in a
    /// valid area.
    ///
    /// - Parameters:
    ///   - asWritten: Whether the outline stays as it is written.
    ///   - repairs: Whether an outline that crosses itself will be repaired later.
    /// - Returns: A note for the person; nil if there is only one interpretation, or if `asWritten` is true.
    package mutating func readOutline(
        asWritten: Bool, repairs: Bool = false, context: GEOSContext
    ) -> GeofenceNote? {
        guard !asWritten, case .polygons(let polygons) = shape else { return nil }
        switch OutlineReading(of: polygons, repairs: repairs, context: context) {
        case .plain: return nil
        case .asWritten:
            let box = shape.boundingBox
            return .asWritten(geofenceId: id, west: box.west, east: box.east)
        case .shortWay(let short):
            shape = .polygons(short)
            let box = shape.boundingBox
            return .shortWay(geofenceId: id, west: box.west, east: box.east)
        }
    }

    /// Why the geofence cannot be saved: a value is invalid, or its polygon is not a valid area. Nil if it can be saved.
    func flaw(in context: GEOSContext) -> Problem? {
        if let flaw { return flaw }
        guard case .polygons(let polygons) = shape, let flaw = PolygonArea.flaw(polygons, context: context) else { return nil }
        let reason: Phrase =
            switch flaw.reason {
            case "Self-intersection", "Ring Self-intersection": Phrase("its outline crosses or touches itself")
            case PolygonArea.tooIntricate: Phrase("its outline goes back and forth so often that checking it would take too long")
            case "Hole lies outside shell": Phrase("a hole lies outside the outline")
            case "Nested shells", "Nested holes", "Overlapping shells": Phrase("its parts overlap")
            default: Phrase("it is not an area (\(flaw.reason.lowercased()))")
            }
        let place = flaw.place
        return .validationFailed(
            field: "geometry", value: id,
            reason: place.map { .near(reason, latitude: "\($0.latitude)", longitude: "\($0.longitude)") } ?? reason,
            expected: Phrase("an outline that does not cross or touch itself, with its holes inside"))
    }

    /// Why the geofence cannot be created, although an existing one may have its id; nil if it can.
    var flawAsNew: Problem? {
        guard Identifier.reservedForGeofences.contains(id) else { return nil }
        return .validationFailed(
            field: "id", value: id, reason: Phrase("the address \("/v1/geofences/\(id)") has another meaning"),
            expected: Phrase("another id"))
    }

    /// Repairs a polygon that crosses itself. Returns whether the geofence was changed.
    mutating func repairOutline(in context: GEOSContext) -> Bool {
        guard flaw == nil, flaw(in: context) != nil, case .polygons(let polygons) = shape,
            let repaired = PolygonArea.repaired(polygons, context: context)
        else { return false }
        shape = .polygons(repaired)
        return true
    }
}
