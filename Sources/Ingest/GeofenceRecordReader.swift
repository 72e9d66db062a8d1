import Model

/// Reads geofences from the records of a CSV file: circles with `latitude`, `longitude` and `radius` in meters, outlines in Traccar's
/// notation in a column `area`, or geometries in well-known text in a column such as `WKT` or `the_geom`.
///
/// Other columns have the names of properties in GeoJSON. Several devices, groups or triggers share one field, separated by `;` or `|`.
/// Unknown columns become properties.
struct GeofenceRecordReader {
    private let source: ProblemSubject
    private let options: GeofenceDecodingOptions
    private var header: CSVHeader?
    /// The field of each column; nil for those that become properties.
    private var fieldsOfColumns: [GeofenceField?] = []
    private var fields = CSVFields()

    init(source: ProblemSubject, options: GeofenceDecodingOptions) {
        self.source = source
        self.options = options
    }

    /// Reads a record. The first record is the header.
    ///
    /// - Throws: `Problem.decodingFailed` if the header lacks a required column, `.validationFailed` if the options name a column or field
    ///   that does not exist.
    mutating func read(_ line: Bytes, number: Int, isWhole: Bool, into collector: inout GeofenceCollector) throws(Problem) {
        let excerpt = line.excerpt(0..<line.count)
        if line.trimmed(0..<line.count).isEmpty || (header == nil && line[0] == UInt8(ascii: "#")) { return }
        guard isWhole else {
            return collector.refuse(
                line: number, id: nil, field: "line", value: excerpt,
                reason: .expecting(.longerThan(LineSplitter.maxBytes), .oneGeofenceALine))
        }
        guard let header else { return try readHeader(line, number) }
        guard fields.split(line, separator: header.separator) else {
            return collector.refuse(
                line: number, id: nil, field: "quotation", value: excerpt,
                reason: .expecting(.quoteNotClosed, .secondQuote))
        }
        guard fields.count <= fieldsOfColumns.count else {
            return collector.refuse(
                line: number, id: nil, field: "record", value: excerpt,
                reason: .expecting(.fieldsAndHeader(fields.count, fieldsOfColumns.count), .quotesAround))
        }
        do throws(WellKnownText.Flaw) {
            collector.add(feature: try feature(header), line: number)
        } catch {
            let column = fieldsOfColumns.firstIndex { $0 == .area || $0 == .wkt } ?? 0
            collector.refuse(
                line: number, id: nil, field: header.names[column], value: fields.string(column), reason: error.reason)
        }
    }

    private mutating func readHeader(_ line: Bytes, _ number: Int) throws(Problem) {
        guard let header = CSVHeader(line) else { return }
        var found = try CSVColumns.find(
            GeofenceField.allCases.map { CSVColumns.Candidate(field: $0, name: $0.name, aliases: $0.aliases) }, in: header,
            mapping: options.columns, source: source)
        // A table of circles may have its points as geometries, too. Otherwise a geometry is preferred to an `area`, which may be a size.
        let isCircles = found[.latitude] != nil && found[.longitude] != nil && found[.radius] != nil
        for unused: GeofenceField in found[.wkt] == nil ? [] : isCircles ? [.wkt] : [.area, .latitude, .longitude] {
            found[unused] = nil
        }
        var needed: [GeofenceField] = found[.area] == nil && found[.wkt] == nil ? [.latitude, .longitude] : []
        if !needed.isEmpty, options.radius == nil { needed.append(.radius) }
        let missing = needed.filter { found[$0] == nil }
        guard missing.isEmpty else {
            let example = missing.map { "\($0.name)=COLUMN" }.joined(separator: ",")
            throw .decodingFailed(
                source: source, line: number,
                reason: .expecting(
                    .columnsUnknown(missing.map(\.name), header.names), .or(.geofenceColumns, .columnsOption(example))))
        }
        fieldsOfColumns = Array(repeating: nil, count: header.names.count)
        for (field, column) in found { fieldsOfColumns[column] = field }
        self.header = header
    }

    /// The record as an equivalent GeoJSON feature. A coordinate that is not a number stays text, and the feature is refused because of it.
    private func feature(_ header: CSVHeader) throws(WellKnownText.Flaw) -> JSONValue {
        var id: JSONValue?
        var area: WellKnownText?
        var latitude = JSONValue.null
        var longitude = JSONValue.null
        var properties: [JSONValue.Member] = []
        for column in 0..<fields.count where !fields.range(of: column).isEmpty {
            let text = fields.string(column)
            guard let field = fieldsOfColumns[column] else {
                properties.append(.init(header.names[column], .string(text)))
                continue
            }
            let value = field.value(of: text) { text in text.withBytes { header.number($0, 0..<$0.count) } }
            switch field {
            case .id: id = value
            case .latitude: latitude = value
            case .longitude: longitude = value
            case .area: area = try WellKnownText(text, order: .latitudeFirst)
            case .wkt: area = try WellKnownText(text, order: .longitudeFirst)
            default: properties.append(.init(field.name, value))
            }
        }
        if let radius = area?.radius { properties.append(.init("radius", radius)) }
        return .compact([
            ("type", "Feature"), ("id", id),
            ("geometry", area?.geometry ?? ["type": "Point", "coordinates": [longitude, latitude]]),
            ("properties", .object(properties)),
        ])
    }
}
