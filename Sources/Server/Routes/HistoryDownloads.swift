import Model
import Service

// Lists of what happened as files, whole: no pages, and no more memory than a page.

extension HistoryTable {
    /// The content types of the files, with their schemas.
    static let types: [(type: String, schema: String)] = [
        (Format.csv.contentType, "Text"), (Format.geojson.contentType, "HistoryFeatures"),
    ]
}

extension HistoryTable.Format {
    var contentType: String {
        switch self {
        case .csv: "text/csv; charset=utf-8"
        case .geojson: "application/geo+json"
        }
    }
}

extension Route.About.Parameter {
    static let format = Self(
        "format", "json (as a rule); csv or geojson: a file with all that match, not a page; 'limit' and 'wait' say nothing then")
}

extension Call {
    private enum Format: String, CaseIterable { case json, csv, geojson }

    /// The file that is wanted in place of a page; nil for a page.
    func table() throws(Problem) -> HistoryTable? {
        switch try oneOf("format", Format.self) {
        case .csv: HistoryTable(.csv)
        case .geojson: HistoryTable(.geojson)
        case .json, nil: nil
        }
    }
}

extension Download.Part {
    /// Reads a part of a table, and prepares to read those after it.
    ///
    /// - Parameters:
    ///   - place: What the part before said; nil: the beginning.
    ///   - read: Reads the part at a place.
    static func part(
        of service: Queries, from place: HistoryTable.Place? = nil,
        _ read: @escaping @Sendable (Queries, HistoryTable.Place?) throws(Problem) -> HistoryTable.Part
    ) throws(Problem) -> Download.Part {
        let (text, following) = try read(service, place)
        guard let following else { return Download.Part(text: text, next: nil) }
        return Download.Part(text: text) { service throws(Problem) in try part(of: service, from: following, read) }
    }
}

extension Response {
    /// A file to save.
    ///
    /// - Parameter name: Without the end that tells the format.
    static func download(
        _ first: Result<Download.Part, Problem>, _ table: HistoryTable, name: String, _ readers: Readers
    ) -> Response {
        switch first {
        case .failure(let problem): .problem(problem)
        case .success(let part):
            Response(200, table.format.contentType, .download(Download(part, readers)))
                .with("Content-Disposition", "attachment; filename=\"\(name).\(table.format.rawValue)\"")
                .with("Cache-Control", "no-store")
        }
    }
}
