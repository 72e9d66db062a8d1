import Core
import Geodesy
import Ingest
import Model
import Places
import Store

/// Exports events and visits as a file for spreadsheet or map programs.
package struct HistoryExport: Sendable {
    package enum Format: String, CaseIterable, Sendable {
        /// RFC 4180 with a header line.
        case csv
        /// RFC 7946: a FeatureCollection.
        case geojson
    }

    /// The position at which a part of the export begins.
    package struct PageStart: Sendable {
        fileprivate var after: String
        /// Whether an earlier part contains a row, so that a comma has to precede the next row.
        fileprivate var hasRows: Bool
    }

    /// The text of some rows, and the position of the next part; nil after the last part.
    package typealias Part = (text: String, next: PageStart?)

    package let format: Format

    package init(_ format: Format) { self.format = format }

    /// The number of rows in one part, which takes a few milliseconds.
    private static let pageSize = 250

    // MARK: - Events

    package static let eventColumns: [CSVLine.Field] = [
        "sequence", "id", "type", "deviceId", "geofenceId", "geofenceName", "occurredAt", "recordedAt", "confirmedAt",
        "crossedAt",
        "cause", "inferred", "latitude", "longitude", "accuracy", "timestamp", "enteredAt", "duration", "retracts",
    ]

    /// One part of the events.
    ///
    /// - Parameters:
    ///   - place: The position from the preceding part; nil for the beginning.
    ///   - newest: The number of the last event to export.
    package func events(
        _ service: Queries, _ filter: Queries.EventFilter, from place: PageStart?, upTo newest: Int64
    ) throws(Problem) -> Part {
        var filter = filter
        if let last = place.flatMap({ Int64($0.after) }) { filter.after = last }
        filter.pageSize = Self.pageSize
        filter.upTo = newest
        var rows: [String] = []
        var last = filter.after
        try service.forEachEvent(filter) { event in
            last = event.sequence
            rows.append(format == .csv ? Self.line(event) : Self.feature(event))
        }
        return part(rows, columns: Self.eventColumns, from: place, next: rows.count < Self.pageSize ? nil : String(last))
    }

    /// An event as a line of CSV.
    package static func line(_ event: Event) -> String {
        let fix = event.hasPosition ? event.fix : nil
        return CSVLine.written([
            .init(event.sequence), .words(event.id), .plain(event.type.rawValue), .words(event.deviceId),
            event.geofenceId.map { .words($0) } ?? .empty, event.geofenceName.map { .words($0) } ?? .empty,
            .init(event.occurredAt), .init(event.recordedAt), .init(event.confirmedAt), .init(event.crossedAt),
            .plain(event.cause.rawValue), .init(event.inferred), .init(fix?.coordinate.latitude),
            .init(fix?.coordinate.longitude),
            .init(fix?.accuracy), .init(fix?.time), .init(event.enteredAt), .init(event.duration),
            event.retracts.map { .words($0) } ?? .empty,
        ])
    }

    private static func feature(_ event: Event) -> String {
        let place: JSONValue =
            event.hasPosition
            ? [
                "type": "Point",
                "coordinates": [JSONValue(event.fix.coordinate.longitude), JSONValue(event.fix.coordinate.latitude)],
            ] : .null
        return feature(id: event.id, place, event.json)
    }

    // MARK: - Visits

    package static let visitColumns: [CSVLine.Field] = [
        "deviceId", "geofenceId", "geofenceName", "enteredAt", "exitedAt", "duration", "lastSeenAt", "seenSeconds",
        "notSeenSince",
        "enterCause", "exitCause", "open",
    ]

    /// One part of the visits.
    ///
    /// - Parameter place: The position from the preceding part; nil for the beginning.
    package func visits(
        _ service: Queries, _ filter: Queries.EventFilter, onlyOpen: Bool, from place: PageStart?
    ) throws(Problem) -> Part {
        let page = try service.visits(filter, onlyOpen: onlyOpen, after: place?.after, limit: Self.pageSize)
        var rows: [String] = []
        var shapes: [String: JSONValue] = [:]
        for visit in page.items {
            guard format == .geojson else {
                rows.append(Self.line(visit))
                continue
            }
            if shapes[visit.geofenceId] == nil {
                shapes[visit.geofenceId] = try service.knownGeofence(id: visit.geofenceId)?.feature ?? .null
            }
            rows.append(Self.feature(visit, of: shapes[visit.geofenceId] ?? .null))
        }
        return part(rows, columns: Self.visitColumns, from: place, next: page.next)
    }

    /// A visit as a line of CSV.
    package static func line(_ visit: Visit) -> String {
        CSVLine.written([
            .words(visit.deviceId), .words(visit.geofenceId), .words(visit.geofenceName), .init(visit.enteredAt),
            .init(visit.exitedAt), .init(visit.duration), .init(visit.lastSeenAt), .init(visit.seenSeconds),
            .init(visit.notSeenSince), .plain(visit.enterCause.rawValue), .init(visit.exitCause?.rawValue),
            .init(visit.exitedAt == nil),
        ])
    }

    /// A visit as a GeoJSON feature. Its geometry is that of the geofence as it is now; null if the geofence was removed.
    private static func feature(_ visit: Visit, of geofence: JSONValue) -> String {
        var properties = visit.json.members ?? []
        if let radius = geofence["properties"]?["radius"] { properties.append(.init("radius", radius)) }
        return feature(id: nil, geofence["geometry"] ?? .null, .object(properties))
    }

    // MARK: - Common parts

    private static func feature(id: String?, _ geometry: JSONValue, _ properties: JSONValue) -> String {
        JSONValue.compact([
            ("type", "Feature"), ("id", id.map { .string($0) }), ("geometry", geometry), ("properties", properties),
        ]).description
    }

    private func part(_ rows: [String], columns: [CSVLine.Field], from place: PageStart?, next: String?) -> Part {
        let hasRows = place?.hasRows == true
        let following = next.map { PageStart(after: $0, hasRows: hasRows || !rows.isEmpty) }
        switch format {
        case .csv:
            return ((place == nil ? CSVLine.written(columns) : "") + rows.joined(), following)
        case .geojson:
            let start = place == nil ? #"{"type":"FeatureCollection","features":["# : ""
            let comma = hasRows && !rows.isEmpty ? ",\n" : ""
            return (start + comma + rows.joined(separator: ",\n") + (next == nil ? "]}\n" : ""), following)
        }
    }
}
