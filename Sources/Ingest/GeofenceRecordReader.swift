import Model

/// Reads circular geofences from the records of a CSV file, with `latitude`, `longitude` and `radius` in meters.
///
/// Other columns have the names of properties in GeoJSON. Several devices, groups or triggers share one field, separated by `;` or `|`.
/// Unknown columns become properties.
struct GeofenceRecordReader {
    private enum Role: Hashable {
        case id, latitude, longitude
        /// A property with its name in GeoJSON.
        case text(String)
        case list(String)
        case flag(String)
    }

    private let source: ProblemSubject
    private var header: CSVHeader?
    private var roles: [Role] = []
    private var fields = CSVFields()

    init(source: ProblemSubject) { self.source = source }

    /// Reads a record. The first record is the header.
    ///
    /// - Throws: `Problem.decodingFailed` if the header lacks a required column.
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
        guard fields.count <= roles.count else {
            return collector.refuse(
                line: number, id: nil, field: "record", value: excerpt,
                reason: .expecting(.fieldsAndHeader(fields.count, roles.count), .quotesAround))
        }
        collector.add(feature: feature(header), line: number)
    }

    private mutating func readHeader(_ line: Bytes, _ number: Int) throws(Problem) {
        guard let header = CSVHeader(line) else { return }
        let aliases: [(Role, [String])] = [
            (.id, ["id", "geofence_id", "identifier"]), (.text("name"), ["name", "title"]),
            (.latitude, FixColumns.aliases(of: .latitude)), (.longitude, FixColumns.aliases(of: .longitude)),
            (.text("radius"), ["radius", "radius_m"]), (.flag("active"), ["active", "is_active", "isactive"]),
            (.text("priority"), ["priority"]), (.text("dwell"), ["dwell"]), (.text("policy"), ["policy"]),
            (.list("triggers"), ["triggers"]), (.list("devices"), ["devices"]), (.list("groups"), ["groups"]),
        ]
        roles = header.names.map { .text($0) }
        for (role, names) in aliases {
            if let column = header.column(names) { roles[column] = role }
        }
        let missing = [(Role.latitude, "latitude"), (.longitude, "longitude"), (.text("radius"), "radius")]
            .filter { !roles.contains($0.0) }.map(\.1)
        guard missing.isEmpty else {
            throw .decodingFailed(
                source: source, line: number,
                reason: .expecting(.columnsUnknown(missing, header.names), .geofenceColumns))
        }
        self.header = header
    }

    /// The record as an equivalent GeoJSON feature. A coordinate that is not a number stays text, and the feature is refused because of it.
    private func feature(_ header: CSVHeader) -> JSONValue {
        var id: JSONValue?
        var latitude = JSONValue.null
        var longitude = JSONValue.null
        var properties: [JSONValue.Member] = []
        for column in 0..<fields.count where !fields.range(of: column).isEmpty {
            let text = fields.string(column)
            switch roles[column] {
            case .id: id = .string(text)
            case .latitude: latitude = Self.number(text)
            case .longitude: longitude = Self.number(text)
            case .text(let name): properties.append(.init(name, .string(text)))
            case .list(let name):
                let parts = text.split { $0 == ";" || $0 == "|" }.map { JSONValue.string($0.trimmingSpaces) }
                properties.append(.init(name, .array(parts)))
            case .flag(let name): properties.append(.init(name, Self.flag(text)))
            }
        }
        return .compact([
            ("type", "Feature"), ("id", id),
            ("geometry", ["type": "Point", "coordinates": [longitude, latitude]]), ("properties", .object(properties)),
        ])
    }

    private static func number(_ text: String) -> JSONValue {
        text.withBytes { DecimalNumber.parse($0, 0..<$0.count) }.map { JSONValue($0) } ?? .string(text)
    }

    private static func flag(_ text: String) -> JSONValue {
        switch text.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: .string(text)
        }
    }
}

extension Substring {
    /// The text without white space at both ends.
    fileprivate var trimmingSpaces: String {
        String(self).withBytes { $0.text($0.trimmed(0..<$0.count)) }
    }
}
