import Model

/// Reads geofences from files: GeoJSON, CSV, KML and KMZ, well-known text, Traccar's JSON, and the waypoints of GPX and OwnTracks.
///
/// Each geofence is first converted to a GeoJSON feature, so that all formats have the same fields and the same rules.
package enum GeofenceDecoder {
    /// The formats, for messages.
    static let supported = Phrase.oneOf(["GeoJSON", "CSV", "KML", "KMZ", "GPX", "WKT", "Traccar", "OwnTracks"])

    /// Reads a whole file. Features and records that are not valid geofences are refused, and the others are read.
    ///
    /// A geofence without an id gets one derived from its name, which several may share. The second geofence with the same given id is
    /// refused.
    ///
    /// - Parameter source: The name of the file, for messages.
    /// - Throws: `Problem.unsupportedFormat`; `.decodingFailed` for a file that is broken as a whole; and for coordinates that are not longitude and
    ///   latitude on WGS 84; `.validationFailed` for options that do not fit; `.tooLarge` for a feature of more than 16 MB, and for
    ///   an archive that unpacks to more than 64 MB.
    /// - Complexity: O(n) in the size of the file.
    package static func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, source: ProblemSubject, options: GeofenceDecodingOptions = .init()
    ) throws(Problem) -> GeofenceImport {
        let input = unsafe bytes.span
        var recognizer = FormatRecognizer()
        let recognized = recognizer.examine(input.extracting(0..<min(input.count, FormatRecognizer.maxBytes)), isWhole: true)
        let start = input.starts(with: "\u{FEFF}") ? 3 : 0
        let content = input.extracting(start..<input.count)
        var collector = GeofenceCollector(source: source, radius: options.radius)
        if WellKnownText.starts(in: content) {
            let outlines = WellKnownText.split(content)
            let order = WellKnownText.order(of: outlines.lazy.map(\.text))
            for outline in outlines { collector.add(outline: outline.text, order: order, line: outline.line) }
            return collector.result
        }
        switch recognized {
        case .format(.geoJSON), .format(.json):
            try readJSON(content, source, &collector)
        case .format(.ndjson):
            try readJSON(content, source, &collector)
            // The file has something else, such as positions.
            if !collector.hasFeature { throw unsupported(.geofenceFileIs(FixFormat.ndjson.rawValue), source) }
        case .format(.csv):
            try readCSV(content, source, options, &collector)
        case .format(.gpx):
            var document = XMLGeofenceReader(source: source)
            try document.read(content, into: &collector)
            try document.finish(into: &collector)
        case .format(.kmz):
            var document = XMLGeofenceReader(source: source)
            var archive: [UInt8] = []
            content.append(0..<content.count, to: &archive)
            try ZipArchive.unpackKML(archive, source: source, supported: supported) { (piece) throws(Problem) in
                try document.read(piece, into: &collector)
            }
            try document.finish(into: &collector)
        case .format(let other): throw unsupported(.geofenceFileIs(other.rawValue), source)
        case .unsupported(let found)?: throw unsupported(found, source)
        case nil: throw unsupported(.empty, source)
        }
        return collector.result
    }

    private static func unsupported(_ found: Phrase, _ source: ProblemSubject) -> Problem {
        .unsupportedFormat(source: source, found: found, supported: supported)
    }

    private static func readJSON(
        _ content: Bytes, _ source: ProblemSubject, _ collector: inout GeofenceCollector
    ) throws(Problem) {
        var elements = JSONElementSplitter(source: source, elementsOf: ["features", "waypoints"])
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
            if part != .element { try GeoJSON.checkReferenceSystem(of: value, in: bytes, source: source, line: line) }
            let isCollection = value["type"]?.string == "FeatureCollection" || value["_type"]?.string == "waypoints"
            if part == .element || (part == .object && !isCollection) { collector.add(json: value, line: line) }
            if isCollection { collector.hasFeature = true }
        }
        try elements.finish()
    }

    private static func readCSV(
        _ content: Bytes, _ source: ProblemSubject, _ options: GeofenceDecodingOptions, _ collector: inout GeofenceCollector
    ) throws(Problem) {
        var lines = LineSplitter(isQuoting: true)
        var reader = GeofenceRecordReader(source: source, options: options)
        try lines.feed(content) { (line, number, isWhole) throws(Problem) in
            try reader.read(line, number: number, isWhole: isWhole, into: &collector)
        }
        try lines.finish { (line, number, isWhole) throws(Problem) in
            try reader.read(line, number: number, isWhole: isWhole, into: &collector)
        }
    }
}
