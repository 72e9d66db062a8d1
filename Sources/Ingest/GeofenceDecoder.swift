import Model

/// Reads geofences from GeoJSON (features with polygons, or with points and a radius) or CSV (`id,name,latitude,longitude,radius,…`).
package enum GeofenceDecoder {
    /// Reads a whole file. Features and records that are not valid geofences are refused, and the others are read.
    ///
    /// A geofence without an id gets one derived from its name, which several may share. The second geofence with the same given id is
    /// refused.
    ///
    /// - Parameter source: The name of the file, for messages.
    /// - Throws: `Problem.unsupportedFormat`; `.decodingFailed` for a file that is broken as a whole; `.validationFailed` for coordinates
    ///   that are not longitude and latitude on WGS 84; `.tooLarge` for a feature of more than 16 MB.
    /// - Complexity: O(n) in the size of the file.
    package static func decode(_ bytes: UnsafeBufferPointer<UInt8>, source: ProblemSubject) throws(Problem) -> GeofenceImport {
        let input = unsafe bytes.span
        var recognizer = FormatRecognizer()
        let recognized = recognizer.examine(input.extracting(0..<min(input.count, FormatRecognizer.maxBytes)), isWhole: true)
        let start = input.starts(with: "\u{FEFF}") ? 3 : 0
        let content = input.extracting(start..<input.count)
        var collector = GeofenceCollector(source: source)
        switch recognized {
        case .format(.geoJSON), .format(.json):
            try readGeoJSON(content, source, &collector)
        case .format(.csv):
            try readCSV(content, source, &collector)
        case .format(let other):
            throw .unsupportedFormat(
                source: source, found: .geofenceFileIs(other == .gpx ? "XML" : other.rawValue),
                supported: supported)
        case .unsupported(let found)?:
            throw .unsupportedFormat(source: source, found: found, supported: supported)
        case nil:
            throw .unsupportedFormat(source: source, found: .empty, supported: supported)
        }
        return collector.result
    }

    private static let supported = Expectation.oneOf(["GeoJSON", "CSV"])

    private static func readGeoJSON(
        _ content: Bytes, _ source: ProblemSubject, _ collector: inout GeofenceCollector
    ) throws(Problem) {
        var elements = JSONElementSplitter(source: source, elementsOf: "features")
        try elements.feed(content) { (part, bytes, line) throws(Problem) in
            let value: JSONValue
            do throws(JSONParser.Failure) {
                value = try JSONParser.parse(bytes)
            } catch {
                let line = line + error.line - 1
                guard part == .element else {
                    throw .decodingFailed(source: source, line: line, reason: .notJSON(error.reason))
                }
                return collector.refuse(
                    line: line, id: nil, field: "feature", value: bytes.excerpt(0..<bytes.count),
                    reason: .expecting(.notJSON(error.reason), .aFeature))
            }
            if part != .element { try GeoJSON.checkReferenceSystem(of: value) }
            let isCollection = value["type"]?.string == "FeatureCollection"
            if part == .element || (part == .object && !isCollection) { collector.add(feature: value, line: line) }
        }
        try elements.finish()
    }

    private static func readCSV(_ content: Bytes, _ source: ProblemSubject, _ collector: inout GeofenceCollector) throws(Problem)
    {
        var lines = LineSplitter(isQuoting: true)
        var reader = GeofenceRecordReader(source: source)
        try lines.feed(content) { (line, number, isWhole) throws(Problem) in
            try reader.read(line, number: number, isWhole: isWhole, into: &collector)
        }
        try lines.finish { (line, number, isWhole) throws(Problem) in
            try reader.read(line, number: number, isWhole: isWhole, into: &collector)
        }
    }
}

/// Collects geofences, and refuses those with an id that occurred before.
struct GeofenceCollector {
    private let source: ProblemSubject
    private(set) var result = GeofenceImport()
    private var index = 0
    /// The number of the feature or record with each given id.
    private var numbersByID: [String: Int] = [:]

    init(source: ProblemSubject) { self.source = source }

    /// Adds a GeoJSON feature.
    mutating func add(feature: JSONValue, line: Int) {
        let given = [feature["id"], feature["properties"]?["id"]].lazy.compactMap { $0 }.compactMap(JSONReading.text).first
        do throws(Problem) {
            let fence = try Geofence(feature: feature)
            if let given {
                if let place = numbersByID[given] {
                    return refuse(
                        line: line, id: given, field: "id", value: given,
                        reason: .expecting(.sameID(place), .ownID))
                }
                numbersByID[given] = index + 1
            }
            index += 1
            let canName = Geofence.isNamed(feature) && Identifier.derived(from: fence.name) != nil
            result.entries.append(
                .init(
                    geofence: fence, index: index, line: line, idSource: given != nil ? .given : canName ? .name : .none,
                    isAsWritten: Geofence.isAsWritten(feature)))
        } catch {
            guard case .validationFailed(let field, let value, let reason, let expected) = error else {
                return refuse(line: line, id: given, field: "feature", value: "", reason: .problem(error))
            }
            refuse(
                line: line, id: given, field: field, value: value, reason: .expecting(reason, expected))
        }
    }

    /// Refuses the next feature or record.
    mutating func refuse(line: Int, id: String?, field: String, value: String, reason: Reason) {
        index += 1
        result.refusals.append(
            RefusedGeofence(
                index: index, id: id,
                refusal: Refusal(file: source.description, line: line, field: field, value: value, reason: reason)))
    }
}
