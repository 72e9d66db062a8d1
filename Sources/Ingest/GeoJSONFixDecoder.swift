import Model

/// Decodes GeoJSON (RFC 7946) with times, feature by feature: points with a time among their properties, and lines with `coordTimes`.
struct GeoJSONFixDecoder {
    private var elements: JSONElementSplitter
    private var reader = GeoJSONPositionReader()
    private var features = 0
    private var values = 0

    init(source: ProblemSubject) { elements = JSONElementSplitter(source: source, elementsOf: ["features"]) }

    mutating func decode(_ chunk: Bytes, _ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        var elements = elements.takeSplitter()
        defer { self.elements = elements }
        try elements.feed(chunk) { (part, bytes, line) throws(Problem) in
            try read(part, bytes, line, &sink, into: &batch)
        }
    }

    /// - Throws: `Problem.decodingFailed` if the input ends inside a value.
    mutating func finish(_ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        try elements.finish()
        if features == 0 {
            sink.refuse(
                line: nil, field: "features", value: "",
                reason: .expecting(.nothingInIt, Phrase("points with times, or lines with coordTimes")), into: &batch)
        }
    }

    private mutating func read(
        _ part: JSONElementSplitter.Part, _ bytes: Bytes, _ line: Int, _ sink: inout FixSink, into batch: inout FixBatch
    ) throws(Problem) {
        let value: JSONValue
        do throws(JSONParser.Failure) {
            value = try JSONParser.parse(bytes)
        } catch {
            guard part == .element else {
                throw .decodingFailed(source: sink.source, line: line + error.line - 1, reason: .notJSON(error.reason))
            }
            features += 1
            return sink.refuse(
                line: line + error.line - 1, field: "features[\(features - 1)]", value: bytes.excerpt(0..<bytes.count),
                reason: .expecting(.notJSON(error.reason), .aFeature), into: &batch)
        }
        switch part {
        case .opening:
            try GeoJSON.checkReferenceSystem(of: value, in: bytes, source: sink.source, line: line)
        case .object:
            try GeoJSON.checkReferenceSystem(of: value, in: bytes, source: sink.source, line: line)
            if value["type"]?.string == "FeatureCollection" { return }
            // Features may follow each other without a collection.
            reader.read(value, path: values == 0 ? "" : "[\(values)].", line: line, sink: &sink, into: &batch)
            values += 1
            features += 1
        case .element:
            reader.read(value, path: "features[\(features)].", line: line, sink: &sink, into: &batch)
            features += 1
        }
    }
}
