import Model

/// What came out of a file of geofences.
public struct GeofenceImport: Sendable {
    /// A geofence, with where it stands in the file.
    public struct Entry: Sendable {
        public var geofence: Geofence
        /// Its number among the features or records of the file; 1 is the first.
        public var index: Int
        /// The line of the file where it starts.
        public var line: Int
        public var idSource: IDSource
        /// Whether the file says that its outline is meant as it is written.
        public var isAsWritten = false
    }

    /// Where a geofence has its id from.
    public enum IDSource: Sendable {
        /// The file gives it. No other geofence of the file has it.
        case given
        /// It is made of the name. Others of the file may have it too.
        case name
        /// There is no id, and no name that an id can be made of. Others of the file may have it too.
        case none
    }

    /// In the order of the file.
    public var entries: [Entry] = []
    /// In the order of the file.
    public var refusals: [RefusedGeofence] = []
}

/// A geofence that was not taken.
public struct RefusedGeofence: Hashable, Sendable {
    /// Its number among the features or records of the file; 1 is the first.
    public var index: Int
    /// Its id, if it has one.
    public var id: String?
    /// The line of the file where it starts, what is wrong, and why.
    public var refusal: Refusal
}

/// Reads geofences from GeoJSON (features with polygons, or with points and a radius) or CSV
/// (`id,name,latitude,longitude,radius,…`).
public enum GeofenceDecoder {
    /// Reads a whole file. What is no geofence is refused by name, and the rest goes in.
    ///
    /// A fence without an id gets one made of its name, which several may have. An id that is given twice is refused the second
    /// time.
    ///
    /// - Parameter source: The name of the file, for messages.
    /// - Throws: `Problem.unsupportedFormat`; `.decodingFailed` for what is broken as a whole; `.validationFailed` for
    ///   coordinates that
    ///   are not longitude and latitude on WGS 84; `.tooLarge` for a feature of more than 16 MB.
    /// - Complexity: O(n) in the size of the file.
    public static func decode(_ bytes: UnsafeBufferPointer<UInt8>, source: String) throws(Problem) -> GeofenceImport {
        let input = unsafe bytes.span
        var recognizer = FormatRecognizer()
        let recognized = recognizer.take(input.extracting(0..<min(input.count, FormatRecognizer.most)), isWhole: true)
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
                source: source, found: "as a file of geofences it is \(other == .gpx ? "XML" : other.rawValue)",
                supported: supported)
        case .unsupported(let found)?:
            throw .unsupportedFormat(source: source, found: found, supported: supported)
        case nil:
            throw .unsupportedFormat(source: source, found: "it is empty", supported: supported)
        }
        return collector.result
    }

    private static let supported = "GeoJSON and CSV"

    private static func readGeoJSON(
        _ content: Bytes, _ source: String, _ collector: inout GeofenceCollector
    ) throws(Problem) {
        var elements = JSONElementSplitter(source: source, elementsOf: "features")
        try elements.feed(content) { (part, bytes, line) throws(Problem) in
            let value: JSONValue
            do throws(JSONParser.Failure) {
                value = try JSONParser.parse(bytes)
            } catch {
                let line = line + error.line - 1
                guard part == .element else {
                    throw .decodingFailed(source: source, line: line, reason: "it is not JSON: \(error.reason)")
                }
                return collector.refuse(
                    line: line, id: nil, field: "feature", value: bytes.excerpt(0..<bytes.count),
                    reason: "it is not JSON (\(error.reason)); expected a feature")
            }
            if part != .element { try GeoJSON.checkReferenceSystem(of: value) }
            let isCollection = value["type"]?.string == "FeatureCollection"
            if part == .element || (part == .object && !isCollection) { collector.add(feature: value, line: line) }
        }
        try elements.finish()
    }

    private static func readCSV(_ content: Bytes, _ source: String, _ collector: inout GeofenceCollector) throws(Problem) {
        var lines = LineSplitter(isQuoting: true)
        var reader = GeofenceRecordReader(source: source)
        try lines.feed(content) { (line, number, isWhole) throws(Problem) in
            try reader.read(line, number, isWhole, &collector)
        }
        try lines.finish { (line, number, isWhole) throws(Problem) in
            try reader.read(line, number, isWhole, &collector)
        }
    }
}

/// Gathers fences, and refuses an id that is given twice.
struct GeofenceCollector {
    private let source: String
    private(set) var result = GeofenceImport()
    private var index = 0
    /// Where each given id stands.
    private var places: [String: Int] = [:]

    init(source: String) { self.source = source }

    /// Takes a GeoJSON feature.
    mutating func add(feature: JSONValue, line: Int) {
        let given = [feature["id"], feature["properties"]?["id"]].lazy.compactMap { $0 }.compactMap(JSONReading.text).first
        do throws(Problem) {
            let fence = try Geofence(feature: feature)
            if let given {
                if let place = places[given] {
                    return refuse(
                        line: line, id: given, field: "id", value: given,
                        reason: "the same id is also at number \(place) of the file; expected an id of its own")
                }
                places[given] = index + 1
            }
            index += 1
            let canName = Geofence.isNamed(feature) && Identifier.derived(from: fence.name) != nil
            result.entries.append(
                .init(
                    geofence: fence, index: index, line: line, idSource: given != nil ? .given : canName ? .name : .none,
                    isAsWritten: Geofence.isAsWritten(feature)))
        } catch {
            guard case .validationFailed(let field, let value, let reason, let expected) = error else {
                return refuse(line: line, id: given, field: "feature", value: "", reason: Language.english.words.message(error))
            }
            refuse(
                line: line, id: given, field: field, value: value, reason: "\(reason); expected \(expected)")
        }
    }

    /// Refuses the next feature or record.
    mutating func refuse(line: Int, id: String?, field: String, value: String, reason: String) {
        index += 1
        result.refusals.append(
            RefusedGeofence(
                index: index, id: id, refusal: Refusal(file: source, line: line, field: field, value: value, reason: reason)))
    }
}
