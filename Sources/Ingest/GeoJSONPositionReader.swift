import Model

/// Reads the positions of one GeoJSON feature or geometry, and delivers them.
struct GeoJSONPositionReader {
    private var attributes = AttributeWriter()

    /// The maximum number of refusals to report individually for one feature, which may have millions of positions.
    private static let maxRefusals = 100
    /// The number of refusals of the current feature.
    private var refusals = 0

    /// - Parameters:
    ///   - path: The position of the value in its file, such as `features[3].`, for messages.
    ///   - line: The line where the value starts.
    mutating func read(
        _ value: JSONValue, path: String, line: Int, sink: inout FixSink, into batch: inout FixBatch
    ) {
        refusals = 0
        readAny(value, path, line, &sink, into: &batch)
        if refusals > Self.maxRefusals {
            sink.refuse(
                line: line, field: String(path.dropLast()), value: "",
                reason: .expecting(.morePositionsRefused(refusals - Self.maxRefusals, Self.maxRefusals), .positionsWithTimes),
                into: &batch)
        }
    }

    private mutating func readAny(
        _ value: JSONValue, _ path: String, _ line: Int, _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        let isFeature = value["type"]?.string == "Feature"
        let geometry = isFeature ? value["geometry"] ?? .null : value
        let properties = (isFeature ? value["properties"]?.members : nil) ?? []
        let place = isFeature ? "\(path)geometry" : String(path.dropLast())
        let coordinates = geometry["coordinates"]?.array ?? []
        var feature = Feature(
            path: isFeature ? "\(path)properties." : path, place: place.isEmpty ? "coordinates" : "\(place).coordinates",
            line: line, properties: properties)
        switch geometry["type"]?.string {
        case "Point": readPoint(geometry["coordinates"] ?? .null, feature, &sink, into: &batch)
        case "LineString", "MultiPoint":
            feature.times = Self.times(properties)?.array
            feature.device = device(properties)
            readLine(coordinates, feature, &sink, into: &batch)
        case "MultiLineString":
            let times = Self.times(properties)?.array
            feature.device = device(properties)
            // Some writers give one list for all lines, others one list per line.
            let isFlat = times?.contains { $0.array == nil } ?? false
            if isFlat {
                feature.times = times
                return readLine(coordinates.flatMap { $0.array ?? [] }, feature, &sink, into: &batch)
            }
            for (index, part) in coordinates.enumerated() {
                feature.times = times.map { index < $0.count ? $0[index].array ?? [] : [] }
                readLine(part.array ?? [], feature, &sink, into: &batch)
            }
        case let type:
            sink.refuse(
                line: line, field: "\(place.isEmpty ? "" : "\(place).")type", value: type ?? geometry["type"]?.description ?? "",
                reason: .expecting(
                    Phrase("it contains no positions of a device"), Phrase("a Point with a time, or a LineString with coordTimes")
                ),
                into: &batch)
        }
    }

    /// The feature being read.
    private struct Feature {
        /// The prefix of a property's name in messages.
        var path: String
        /// The name of the coordinates in messages.
        var place: String
        var line: Int
        var properties: [JSONValue.Member]
        /// The times of a line's positions.
        var times: [JSONValue]?
        /// The device of a line.
        var device: String?
    }

    /// The device named by a line's properties. The other properties describe the whole line, so no position gets them as attributes.
    private func device(_ properties: [JSONValue.Member]) -> String? {
        var attributes = AttributeWriter()
        return JSONReading(properties, .properties, attributes: &attributes).device
    }

    /// The times of a line's positions: `coordTimes` (Mapbox's togeojson), `coordinateProperties.times` (its later versions), or `times`.
    private static func times(_ properties: [JSONValue.Member]) -> JSONValue? {
        let object = JSONValue.object(properties)
        return object["coordTimes"] ?? object["coordinateProperties"]?["times"] ?? object["times"]
    }

    private mutating func readPoint(
        _ position: JSONValue, _ feature: Feature, _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        attributes.clear()
        var object = JSONReading(feature.properties, .properties(for: feature.properties), attributes: &attributes)
        Self.readCoordinates(position, &object.reading)
        deliver(object.reading, object.device, feature, position, { object.source(of: $0) }, &sink, into: &batch)
    }

    private mutating func readLine(
        _ positions: [JSONValue], _ feature: Feature, _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        attributes.clear()
        if feature.times == nil, !sink.givesTimes {
            refusals += 1
            if refusals > Self.maxRefusals { return }
            return sink.refuse(
                line: feature.line, field: "\(feature.path)coordTimes", value: "",
                reason: .expecting(.lineWithoutTimes(positions.count), .timeForEach), into: &batch)
        }
        for (index, position) in positions.enumerated() {
            var reading = PositionReading()
            var text = ""
            if let times = feature.times, index < times.count, times[index] != .null {
                text = JSONReading.text(times[index]) ?? times[index].description
                reading.readTime(text)
            }
            Self.readCoordinates(position, &reading)
            deliver(reading, feature.device, feature, position, { _ in ("coordTimes[\(index)]", text) }, &sink, into: &batch)
        }
    }

    /// Reads a GeoJSON position: longitude, latitude and optionally altitude.
    private static func readCoordinates(_ position: JSONValue, _ reading: inout PositionReading) {
        let numbers = position.array ?? []
        func number(_ index: Int) -> Double? {
            guard index < numbers.count, case .number = numbers[index] else { return nil }
            return JSONReading.number(numbers[index])
        }
        reading.latitude = reading.required(number(1), .latitude)
        reading.longitude = reading.required(number(0), .longitude)
        if reading.altitude.isNaN, let height = number(2) { reading.altitude = height }
    }

    private mutating func deliver(
        _ reading: PositionReading, _ device: String?, _ feature: Feature, _ position: JSONValue,
        _ source: (FixField) -> (name: String, value: String), _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        do throws(ReadingFlaw) {
            let name = device ?? ""
            let number = try name.withBytes { (bytes) throws(ReadingFlaw) in
                try sink.device(device == nil ? .file : .named(0..<bytes.count), bytes, in: &batch)
            }
            try sink.deliver(reading, device: number, attributes: &attributes, line: feature.line, into: &batch)
        } catch {
            attributes.clear()
            refusals += 1
            if refusals > Self.maxRefusals { return }
            switch error.field {
            case .latitude, .longitude:
                sink.refuse(error, line: feature.line, field: feature.place, value: position.description, into: &batch)
            default:
                let (name, value) = source(error.field)
                sink.refuse(error, line: feature.line, field: feature.path + name, value: value, into: &batch)
            }
        }
    }
}
