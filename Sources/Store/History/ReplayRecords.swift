import Geodesy
import Model
import Monitor
import SQLite

// What a replay reads.

extension PicketStore {
    /// The replay notes of a device.
    package func replayNotes(of device: DeviceKey) throws(Problem) -> ReplayNotes {
        let row = try firstRow("SELECT gaps, replay_after FROM device WHERE key = ?", device.value, as: Int.self, Int64.self)
        return ReplayNotes(gaps: ReplayGaps(rawValue: row?.0 ?? 0), after: row?.1 ?? 0)
    }

    /// The bounding box of a device's fixes after a moment.
    package struct FixBounds: Sendable {
        package var south, north, west, east: Double
        /// The coarsest accuracy, in meters.
        package var accuracy: Double
        var fixes: Int

        /// Extends the box by degrees in each direction.
        package mutating func extend(by degrees: Double) {
            (south, north) = (south - degrees, north + degrees)
            (west, east) = (west - degrees, east + degrees)
        }

        /// Whether a fix lies in the box and is not coarser.
        package func contains(_ fix: Fix) -> Bool {
            fix.coordinate.latitude >= south && fix.coordinate.latitude <= north && fix.coordinate.longitude >= west
                && fix.coordinate.longitude <= east && fix.accuracyOrZero <= accuracy
        }

        /// Extends the box to include another coordinate.
        package mutating func extend(to place: Coordinate) {
            (south, north) = (min(south, place.latitude), max(north, place.latitude))
            (west, east) = (min(west, place.longitude), max(east, place.longitude))
        }
    }

    /// The bounding box of a device's fixes after a moment; nil if there are none.
    package func fixBounds(of device: DeviceKey, after moment: Instant?) throws(Problem) -> FixBounds? {
        let (rest, order) = unorderedFixes
        let bounds = try firstRow(
            """
            SELECT \(FixBounds.columns)
            FROM (
                SELECT latitude, longitude, accuracy FROM fix_order o CROSS JOIN fix f USING (number)
                WHERE o.device = ?1 AND o.time > ?2 AND \(Self.isEvaluated("f"))
                UNION ALL SELECT latitude, longitude, accuracy FROM \(rest) AND \(order).time > ?2
                AND \(Self.isEvaluated("f")))
            """, device.value, moment?.milliseconds ?? Int64.min, as: FixBounds.self)
        return bounds.flatMap { $0.fixes > 0 ? $0 : nil }
    }

    /// Calls `body` with the versions of geofences that were in effect at or after a revision.
    ///
    /// - Parameters:
    ///   - latitudes: Circles outside of these latitudes are left out; nil to return all.
    ///   - known: Geofences that are never left out.
    package func forEachVersion(
        since revision: Int64, latitudes: ClosedRange<Double>?, known: Set<FenceKey>, _ body: (FenceVersion) -> Void
    ) throws(Problem) {
        let row = try query(
            """
            SELECT \(FenceVersionRow.columns) FROM geofence
            WHERE (to_revision IS NULL OR to_revision > max(from_revision, ?1))
            AND (?2 IS NULL OR radius IS NULL OR latitude BETWEEN ?2 - radius / ?4 AND ?3 + radius / ?4
                OR key IN (SELECT value FROM json_each(?5)))
            ORDER BY key, from_revision
            """, revision, latitudes?.lowerBound, latitudes?.upperBound, WGS84.shortestDegreeOfLatitude,
            Self.jsonList(known.sorted().map { Int64($0.value) }))
        while let next = try next(FenceVersionRow.self, of: row) { body(try version(next)) }
    }

    /// The maximum number of any current or removed geofence; 0 if there is none.
    package func newestGeofenceKey() throws(Problem) -> FenceKey {
        FenceKey(Int32(truncatingIfNeeded: try count("SELECT ifnull(max(key), 0) FROM geofence")))
    }

    /// A geofence as it was at a revision; nil if it did not exist then.
    package func geofence(_ key: FenceKey, at revision: Int64) throws(Problem) -> Geofence? {
        let row = try firstRow(
            """
            SELECT \(GeofenceRow.columns) FROM geofence
            WHERE key = ?1 AND from_revision <= ?2 AND (to_revision IS NULL OR to_revision > ?2)
            """, key.value, revision, as: GeofenceRow.self)
        return try row.map { row throws(Problem) in try geofence(row).geofence }
    }
}

extension PicketStore.FixBounds: Row {
    @usableFromInline package static let columns =
        "min(latitude), max(latitude), min(longitude), max(longitude), ifnull(max(accuracy), 0), count(*)"

    @usableFromInline package init(_ row: inout ColumnReader) {
        south = row.next()
        north = row.next()
        west = row.next()
        east = row.next()
        accuracy = row.next()
        fixes = row.next()
    }
}
