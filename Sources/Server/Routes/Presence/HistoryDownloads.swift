import Core
import Model
import Presence
import Routing
import Tables

// Complete lists of events and visits as files, which are read in pages so that memory is limited.

extension HistoryExport {
    /// The content types of the files, with the names of their schemas.
    static let types: [(type: String, schema: String)] = [
        (Format.csv.contentType, "Text"), (Format.geojson.contentType, "HistoryFeatures"),
    ]
}

extension HistoryExport.Format {
    var contentType: String {
        switch self {
        case .csv: "text/csv; charset=utf-8"
        case .geojson: "application/geo+json"
        }
    }
}

extension RouteDescription.Parameter {
    static let minDuration = Self(
        "minDuration",
        "Only visits in which the device was seen for at least this long, for example 3m; omittedVisits: how many are left out"
    )
    static let csvFor = Self(
        "csvFor",
        "CSV for a spreadsheet with this locale: its separator and decimal mark, a byte order mark, and local times without an offset",
        oneOf: SpreadsheetLocale.allCases.map(\.rawValue))
    static let format = Self(
        "format",
        "json (default); csv or geojson, also by Accept: a file with all matching entries, not a page; 'limit', 'last' and 'wait' are then ignored",
        oneOf: HistoryExport.Format.allCases.map(\.rawValue) + ["json"])
}

extension Call {
    private enum Format: String, CaseIterable { case json, csv, geojson }

    /// The table for the requested file format; nil for JSON, which is answered in pages.
    func requestedExport() throws(Problem) -> HistoryExport? {
        switch try oneOf("format", Format.self) {
        case .csv: HistoryExport(.csv, try csvStyle())
        case .geojson: HistoryExport(.geojson)
        case .json: nil
        case nil:
            if target["csvFor"] != nil || accepts("text/csv") {
                HistoryExport(.csv, try csvStyle())
            } else {
                accepts("application/geo+json") ? HistoryExport(.geojson) : nil
            }
        }
    }

    /// How CSV is written for `csvFor` and `timezone`.
    func csvStyle() throws(Problem) -> CSVStyle {
        CSVStyle(for: try oneOf("csvFor", SpreadsheetLocale.self), in: try timeReader().zone)
    }
}

extension Download.Piece {
    /// Reads a page of a table, and prepares to read the next one.
    ///
    /// - Parameters:
    ///   - place: The place that the page before returned; nil for the beginning.
    ///   - read: Reads the page at a place.
    static func readPage(
        of service: Queries, from place: HistoryExport.PageStart? = nil,
        _ read: @escaping @Sendable (Queries, HistoryExport.PageStart?) throws(Problem) -> HistoryExport.Part
    ) throws(Problem) -> Download.Piece {
        let (text, following) = try read(service, place)
        guard let following else { return Download.Piece(text: text, next: nil) }
        return Download.Piece(text: text) { service throws(Problem) in try readPage(of: service, from: following, read) }
    }
}

extension Response {
    /// A table that browsers save as a file.
    ///
    /// - Parameters:
    ///   - name: The file name without its extension.
    static func download(_ first: Download.Piece, table: HistoryExport, name: String, for call: Call) -> Response {
        download(first, table.format.contentType, name: "\(name).\(table.format.rawValue)", for: call)
    }
}
