import Core
import Geodesy
import Model
import Places
import Store
import Tables

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
    private let style: CSVStyle

    /// - Parameter style: How CSV is written.
    package init(_ format: Format, _ style: CSVStyle = CSVStyle(in: .utc)) {
        self.format = format
        self.style = style
    }

    /// The number of rows in one part, which takes a few milliseconds.
    private static let pageSize = 250

    // MARK: - Events

    package static let eventColumns: [TableColumn<Event>] = [
        .init("sequence") { .init($0.sequence) }, .init("id") { .words($0.id) }, .init("type") { .plain($0.type.rawValue) },
        .init("deviceId") { .words($0.deviceId) }, .init("geofenceId") { .words($0.geofenceId) },
        .init("geofenceName") { .words($0.geofenceName) }, .init("occurredAt") { .init($0.occurredAt) },
        .init("recordedAt") { .init($0.recordedAt) }, .init("confirmedAt") { .init($0.confirmedAt) },
        .init("crossedAt") { .init($0.crossedAt) }, .init("cause") { .plain($0.cause.rawValue) },
        .init("inferred") { .flag($0.inferred) }, .init("latitude") { .init($0.shownFix?.coordinate.latitude) },
        .init("longitude") { .init($0.shownFix?.coordinate.longitude) }, .init("accuracy") { .init($0.shownFix?.accuracy) },
        .init("timestamp") { .init($0.shownFix?.time) }, .init("enteredAt") { .init($0.enteredAt) },
        .init("duration") { .init($0.duration) }, .init("retracts") { .words($0.retracts) },
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
            rows.append(format == .csv ? style.line(event, Self.eventColumns) : Self.feature(event))
        }
        return part(rows, columns: Self.eventColumns, from: place, next: rows.count < Self.pageSize ? nil : String(last))
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

    package static let visitColumns: [TableColumn<Visit>] =
        [
            .init("deviceId") { .words($0.deviceId) }, .init("geofenceId") { .words($0.geofenceId) },
            .init("geofenceName") { .words($0.geofenceName) }, .init("enteredAt") { .init($0.enteredAt) },
            .init("exitedAt") { .init($0.exitedAt) }, .init("duration") { .init($0.duration) },
            .init("lastSeenAt") { .init($0.lastSeenAt) }, .init("seenSeconds") { .init($0.seenSeconds) },
        ] + TableColumn.hours(\.seenSeconds) + [
            .init("notSeenSince") { .init($0.notSeenSince) }, .init("enterCause") { .plain($0.enterCause.rawValue) },
            .init("exitCause") { $0.exitCause.map { .plain($0.rawValue) } ?? .empty },
            .init("open") { .flag($0.exitedAt == nil) },
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
                rows.append(style.line(visit, Self.visitColumns))
                continue
            }
            if shapes[visit.geofenceId] == nil {
                shapes[visit.geofenceId] = try service.knownGeofence(id: visit.geofenceId)?.feature ?? .null
            }
            rows.append(Self.feature(visit, of: shapes[visit.geofenceId] ?? .null))
        }
        return part(rows, columns: Self.visitColumns, from: place, next: page.next)
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

    private func part<Row>(_ rows: [String], columns: [TableColumn<Row>], from place: PageStart?, next: String?) -> Part {
        let hasRows = place?.hasRows == true
        let following = next.map { PageStart(after: $0, hasRows: hasRows || !rows.isEmpty) }
        switch format {
        case .csv:
            return ((place == nil ? style.header(columns) : "") + rows.joined(), following)
        case .geojson:
            let start = place == nil ? #"{"type":"FeatureCollection","features":["# : ""
            let comma = hasRows && !rows.isEmpty ? ",\n" : ""
            return (start + comma + rows.joined(separator: ",\n") + (next == nil ? "]}\n" : ""), following)
        }
    }
}

extension Event {
    fileprivate var shownFix: Fix? { hasPosition ? fix : nil }
}
