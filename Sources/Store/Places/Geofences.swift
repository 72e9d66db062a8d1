import Geodesy
import Model
import SQLite

extension PicketStore {
    /// A geofence with its number in the store.
    package struct StoredGeofence: Sendable {
        package var key: FenceKey
        package var geofence: Geofence
    }

    /// The revision of the geofences, which grows by one with each change of the set.
    package func fenceRevision() throws(Problem) -> Int64 {
        try attempt { () throws(SQLiteError) in try setting("fence_revision") }
    }

    /// Calls `body` with each geofence, ordered by id.
    ///
    /// - Parameter matching: A part of the id or of the name; nil for all.
    package func forEachGeofence(matching: String? = nil, _ body: (StoredGeofence) throws(Problem) -> Void) throws(Problem) {
        try forEachInPieces(
            from: "",
            { last, piece throws(Problem) in
                let statement = try query(
                    """
                    SELECT \(GeofenceRow.columns) FROM geofence INDEXED BY geofence_now WHERE to_revision IS NULL
                    AND (?1 IS NULL OR instr(lower(id), lower(?1)) OR instr(lower(name), lower(?1)))
                    AND id > ?2 ORDER BY id
                    """, matching, last)
                while let next = try next(GeofenceRow.self, of: statement) {
                    let stored = try geofence(next)
                    if piece.add(stored, bytes: next.bytes) { return stored.geofence.id }
                }
                return nil
            }, body)
    }

    /// All geofences of one moment, ordered by id.
    package func geofences() throws(Problem) -> [StoredGeofence] {
        var found: [StoredGeofence] = []
        try inReadTransaction { () throws(Problem) in try forEachGeofence { found.append($0) } }
        return found
    }

    /// The geofence with an id; nil if there is none.
    package func geofence(id: String) throws(Problem) -> StoredGeofence? {
        let row = try firstRow(
            "SELECT \(GeofenceRow.columns) FROM geofence WHERE id = ? AND to_revision IS NULL", id, as: GeofenceRow.self)
        return try row.map(geofence)
    }

    /// The key of the geofence with an id, and whether it is active; nil if there is none. Its outline, which may be large, is not read.
    package func geofenceKey(id: String) throws(Problem) -> (key: FenceKey, isActive: Bool)? {
        try firstRow(
            "SELECT key, active FROM geofence WHERE id = ? AND to_revision IS NULL", id, as: FenceKey.self, Bool.self
        ).map { (key: $0.0, isActive: $0.1) }
    }

    package func geofenceCount() throws(Problem) -> Int {
        try count("SELECT count(*) FROM geofence WHERE to_revision IS NULL")
    }

    /// Starts a new revision of the geofences, which is also an entry of the input log, and returns its number. This must be called in the
    /// transaction that changes the geofences.
    package func beginFenceRevision(in transaction: borrowing Transaction) throws(Problem) -> Int64 {
        try attempt { () throws(SQLiteError) in
            let revision = try setting("fence_revision") + 1
            try saveSetting("fence_revision", revision, in: transaction)
            try statement(
                "INSERT INTO fence_revision (revision, number) VALUES (?,?)", revision, try reserveInputNumber(), in: transaction
            ).run()
            return revision
        }
    }

    /// Saves a geofence as of `revision`: adds it, or adds the next version of the geofence with this id.
    ///
    /// - Returns: The number of the geofence.
    @discardableResult
    package func saveGeofence(
        _ geofence: Geofence, revision: Int64, in transaction: borrowing Transaction
    ) throws(Problem) -> FenceKey {
        let known = try key(ofGeofence: geofence.id)
        return try attempt { () throws(SQLiteError) in
            let key: Int64
            if let known {
                key = Int64(known.value)
                try endVersion(known, revision: revision, in: transaction)
            } else {
                // Numbers are never used again, because removed geofences keep their rows.
                key = try connection.value(of: "SELECT ifnull(max(key), 0) + 1 FROM geofence") ?? 1
            }
            let insert = try statement(GeofenceRow.insertion, in: transaction)
            insert.bind(1, key)
            insert.bind(2, revision)
            insert.bind(3, geofence.id)
            switch geofence.shape {
            case .circle(let circle):
                insert.bind(4, circle.center.latitude)
                insert.bind(5, circle.center.longitude)
                insert.bind(6, circle.radius)
            case .polygons:
                insert.bind(7, geofence.shape.geometry.description)
            }
            for (index, field) in Geofence.fields.enumerated() { insert.bind(Int32(index + 8), field.stored(geofence)) }
            try insert.run()
            return FenceKey(Int32(key))
        }
    }

    /// Removes a geofence as of `revision`. Its earlier versions are kept.
    package func remove(_ key: FenceKey, revision: Int64, in transaction: borrowing Transaction) throws(Problem) {
        try attempt { () throws(SQLiteError) in try endVersion(key, revision: revision, in: transaction) }
    }

    private func endVersion(_ key: FenceKey, revision: Int64, in transaction: borrowing Transaction) throws(SQLiteError) {
        try statement(
            "UPDATE geofence SET to_revision = ? WHERE key = ? AND to_revision IS NULL", revision, key.value, in: transaction
        ).run()
    }

    private func key(ofGeofence id: String) throws(Problem) -> FenceKey? {
        try firstValue("SELECT key FROM geofence WHERE id = ? AND to_revision IS NULL", id, as: FenceKey.self)
    }

    // MARK: - Rows

    /// The shape of a row.
    package func shape(_ row: ShapeRow) throws(Problem) -> Shape {
        if let geometry = row.geometry { return try Shape(geometry: json(geometry), radius: nil) }
        return .circle(Circle(center: row.center, radius: row.radius))
    }

    /// The geofence of a row.
    package func geofence(_ row: GeofenceRow) throws(Problem) -> StoredGeofence {
        var geofence = Geofence(id: row.id, name: "", shape: try shape(row.shape))
        var values = row.values[...]
        try restore(Geofence.fields, of: &geofence, from: &values)
        return StoredGeofence(key: row.key, geofence: geofence)
    }
}
