import Model

/// Reads geofences from the records of a CSV file: circles with `latitude`, `longitude` and `radius` in meters, outlines in Traccar's
/// notation in a column `area`, or geometries in well-known text in a column such as `WKT` or `the_geom`.
///
/// Other columns have the names of properties in GeoJSON. Several devices, groups or triggers share one field, separated by `;` or `|`.
/// Unknown columns become properties.
struct GeofenceRecordReader {
    private let source: ProblemSubject
    private let options: GeofenceDecodingOptions
    private var encoding = CSVEncoding()
    /// The separator that the file states before the header.
    private var separator: UInt8?
    private var header: CSVHeader?
    /// The field of each column; nil for those that become properties.
    private var fieldsOfColumns: [GeofenceField?] = []
    /// The columns with the hemisphere of a coordinate.
    private var hemisphereColumns: [Int] = []
    /// The column with the unit of the radius.
    private var unitColumn: Int?
    /// The unit of the radius that its column states.
    private var radiusUnit: LengthUnit?
    /// The coordinates that are degrees × 10⁷.
    private var e7: Set<GeofenceField> = []
    private var numbers = CSVNumbers()
    private var fields = CSVFields()

    private static let candidates = GeofenceField.allCases.map { field in
        CSVColumns.Candidate(field: field, name: field.name, aliases: field.aliases, units: field.units)
    }

    /// Why a record is not a geofence.
    private struct Flaw: Error {
        var column: Int
        var reason: Phrase
    }

    init(source: ProblemSubject, options: GeofenceDecodingOptions) {
        self.source = source
        self.options = options
    }

    /// Reads a record. The first record is the header.
    ///
    /// - Throws: `Problem.decodingFailed` if the header lacks a required column, `.validationFailed` if the options name a column or field
    ///   that does not exist.
    mutating func read(_ line: Bytes, number: Int, isWhole: Bool, into collector: inout GeofenceCollector) throws(Problem) {
        guard isWhole else {
            return collector.refuse(
                line: number, id: nil, field: "line", value: line.excerpt(0..<line.count),
                reason: .expecting(.longerThan(LineSplitter.maxBytes), Phrase("one geofence per line")))
        }
        let wasWindows1252 = encoding.isWindows1252
        switch encoding.examine(line) {
        case .valid: try read(line, number, into: &collector)
        case .windows1252:
            if !wasWindows1252 { collector.add(.readAsWindows1252) }
            let converted = encoding.converted
            try read(converted.span, number, into: &collector)
        case .invalid:
            collector.refuse(
                line: number, id: nil, field: "record", value: line.excerpt(0..<line.count),
                reason: .expecting(.notUTF8, .oneEncoding))
        }
    }

    private mutating func read(_ line: Bytes, _ number: Int, into collector: inout GeofenceCollector) throws(Problem) {
        if line.trimmed(0..<line.count).isEmpty || (header == nil && line[0] == UInt8(ascii: "#")) { return }
        guard let header else { return try readHeader(line, number) }
        if header.isBlank(line) { return }
        let excerpt = line.excerpt(0..<line.count)
        guard fields.split(line, separator: header.separator) else {
            return collector.refuse(
                line: number, id: nil, field: "quotation", value: excerpt,
                reason: .expecting(.quoteNotClosed, .secondQuote))
        }
        guard fields.count <= fieldsOfColumns.count else {
            return collector.refuse(
                line: number, id: nil, field: "record", value: excerpt,
                reason: .expecting(
                    Phrase(
                        fields.count, one: "it has \(fields.count) field, but the header has \(fieldsOfColumns.count)",
                        other: "it has \(fields.count) fields, but the header has \(fieldsOfColumns.count)"), .quotesAround))
        }
        decideNumbers(number)
        do throws(Flaw) {
            collector.add(feature: try feature(header), line: number)
        } catch {
            collector.refuse(
                line: number, id: nil, field: header.names[error.column],
                value: error.column < fields.count ? fields.string(error.column) : "", reason: error.reason)
        }
    }

    /// Determines the decimal sign of the file from the record.
    private mutating func decideNumbers(_ line: Int) {
        if numbers.isDecided { return }
        let fields = fields
        let text = fields.text.span
        for column in 0..<fields.count {
            if let field = fieldsOfColumns[column], field == .latitude || field == .longitude, !e7.contains(field) {
                numbers.decide(coordinate: text, fields.range(of: column), line: line)
            }
        }
        for column in 0..<fields.count where [.radius, .priority, .dwell].contains(fieldsOfColumns[column]) {
            numbers.decide(number: text, fields.range(of: column), line: line)
        }
    }

    private mutating func readHeader(_ line: Bytes, _ number: Int) throws(Problem) {
        if separator == nil, let stated = CSVHeader.statedSeparator(in: line) {
            separator = stated
            return
        }
        let columns = options.columns
        let read = CSVHeader(line, separator: separator) { CSVColumns.count(Self.candidates, in: $0, mapping: columns) }
        guard let header = read else { return }
        guard header.names.count <= CSVHeader.maxColumns else {
            throw .decodingFailed(
                source: source, line: number, reason: .expecting(.moreFieldsThan(CSVHeader.maxColumns), .columnNames))
        }
        var found = try CSVColumns.find(Self.candidates, in: header, mapping: columns, source: source)
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
                    .columnsUnknown(missing.map(\.name), separator: header.separatorName, columns: header.names),
                    .or(.geofenceColumns, .columnsOption(example))))
        }
        fieldsOfColumns = Array(repeating: nil, count: header.names.count)
        for (field, column) in found { fieldsOfColumns[column.index] = field }
        let modifying = try ModifyingColumns(header, except: found.values.map(\.index), source: source)
        if found[.latitude] != nil || found[.longitude] != nil { hemisphereColumns = modifying.hemispheres }
        radiusUnit = found[.radius]?.unit.flatMap(LengthUnit.named)
        if radiusUnit == nil, found[.radius] != nil {
            unitColumn = ["radius", "", "length", "distance"].lazy.compactMap { modifying.units[$0] }.first
        }
        e7 = Set(found.filter { $0.value.unit == CSVColumns.e7 }.keys)
        self.header = header
    }

    /// The record as an equivalent GeoJSON feature.
    private func feature(_ header: CSVHeader) throws(Flaw) -> JSONValue {
        var id: JSONValue?
        var area: WellKnownText?
        var angles: [GeofenceField: (angle: AngleText, column: Int)] = [:]
        var properties: [JSONValue.Member] = []
        for column in 0..<fields.count where !fields.range(of: column).isEmpty {
            let text = fields.string(column)
            guard let field = fieldsOfColumns[column] else {
                let isModifier = column == unitColumn || hemisphereColumns.contains(column)
                if !isModifier { properties.append(.init(header.names[column], .string(text))) }
                continue
            }
            switch field {
            case .id: id = .string(text)
            case .latitude, .longitude: angles[field] = (try angle(field, column), column)
            case .area: area = try outline(text, .latitudeFirst, column)
            case .wkt: area = try outline(text, .longitudeFirst, column)
            case .radius: properties.append(.init(field.name, JSONValue(try radius(column))))
            default:
                let value = field.value(of: text) { text in
                    text.withBytes { bytes in try? numbers.number(bytes, 0..<bytes.count) }
                }
                properties.append(.init(field.name, value))
            }
        }
        if let radius = area?.radius { properties.append(.init("radius", radius)) }
        let degrees = try degrees(of: angles)
        return .compact([
            ("type", "Feature"), ("id", id),
            (
                "geometry",
                area?.geometry ?? ["type": "Point", "coordinates": [degrees[.longitude] ?? .null, degrees[.latitude] ?? .null]]
            ),
            ("properties", .object(properties)),
        ])
    }

    private func outline(_ text: String, _ order: WellKnownText.AxisOrder, _ column: Int) throws(Flaw) -> WellKnownText {
        do throws(WellKnownText.Flaw) {
            return try WellKnownText(text, order: order)
        } catch {
            throw Flaw(column: column, reason: error.reason)
        }
    }

    private func angle(_ field: GeofenceField, _ column: Int) throws(Flaw) -> AngleText {
        do throws(NumberFlaw) {
            return try numbers.coordinate(
                fields.text.span, fields.range(of: column), isLatitude: field == .latitude, isE7: e7.contains(field),
                hasHemispheres: !hemisphereColumns.isEmpty)
        } catch {
            throw Flaw(column: column, reason: error.reason(usual: .degreesIn(field == .latitude ? 90 : 180)))
        }
    }

    /// The radius in meters.
    private func radius(_ column: Int) throws(Flaw) -> Double {
        let range = fields.range(of: column)
        var unit: LengthUnit?
        if let unitColumn {
            let text = unitColumn < fields.count ? fields.string(unitColumn) : ""
            unit = LengthUnit.named(text)
            if unit == nil {
                throw Flaw(
                    column: unitColumn,
                    reason: .expecting(text.isEmpty ? .missing : .unknownUnit(text), .oneOf(LengthUnit.symbols)))
            }
        }
        do throws(NumberFlaw) {
            return try numbers.meters(fields.text.span, range, unit: unit ?? radiusUnit)
        } catch {
            throw Flaw(column: column, reason: error.reason(usual: .metersIn(1, 1_000_000)))
        }
    }

    /// The coordinates in the hemispheres that other columns name.
    private func degrees(of angles: [GeofenceField: (angle: AngleText, column: Int)]) throws(Flaw) -> [GeofenceField: JSONValue] {
        var degrees = angles.mapValues { JSONValue($0.angle.degrees) }
        var named: Set<GeofenceField> = []
        for column in hemisphereColumns where !angles.isEmpty {
            let text = column < fields.count ? fields.string(column) : ""
            guard let hemispheres = Hemisphere.named(text) else {
                throw Flaw(
                    column: column, reason: .expecting(text.isEmpty ? .missing : .notAHemisphere, .oneOf(["N", "S", "E", "W"])))
            }
            for hemisphere in hemispheres {
                let field = hemisphere.isOfLatitude ? GeofenceField.latitude : .longitude
                named.insert(field)
                guard let angle = angles[field]?.angle else { continue }
                do throws(NumberFlaw) {
                    degrees[field] = JSONValue(try angle.degrees(in: hemisphere))
                } catch {
                    throw Flaw(column: column, reason: error.reason(usual: .oneOf(["N", "S", "E", "W"])))
                }
            }
        }
        for (field, (angle, column)) in angles where angle.needsHemisphere && !named.contains(field) {
            throw Flaw(column: column, reason: .expecting(.degreesAndMinutes, .hemisphereOrDegreeSign))
        }
        return degrees
    }
}
