import Model

/// Decodes the positions of KML (OGC 12-007r2): tracks (`Track`, or Google's `gx:Track`, with a `when` for each `coord`), and points with a
/// `TimeStamp`.
///
/// `line` is the line of the `coord` or `Point` element. The arrays of a track's extended data give accuracy, speed and so on, by the names of
/// JSON; unknown ones become attributes. A line is read like a track without times.
struct KMLFixDecoder {
    /// The maximum number of refusals to report individually for one Placemark.
    private static let maxRefusals = 100

    private var placemarks = XMLElementBuilder("Placemark")
    private var attributes = AttributeWriter()
    /// The number of positions so far, including refused ones.
    private var positions = 0
    /// The number of empty `coord` elements so far, which are written where recording was paused.
    private var pauses = 0
    /// The number of points without a time so far. They mark places, as waypoints do in GPX.
    private var untimedPoints = 0
    /// The number of refusals of the current Placemark.
    private var refusals = 0

    /// Handles an event after the root element.
    ///
    /// - Throws: `Problem.tooLarge` for a Placemark of more than 16 MB.
    mutating func handleEvent(_ event: XMLEvent, _ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        guard let placemark = try placemarks.handleEvent(event, source: sink.source) else { return }
        refusals = 0
        read(placemark, &sink, into: &batch)
        if refusals > Self.maxRefusals {
            sink.refuse(
                line: placemark.line, field: "Placemark", value: placemark["name"]?.trimmedText ?? "",
                reason: .expecting(.morePositionsRefused(refusals - Self.maxRefusals, Self.maxRefusals), .positionsWithTimes),
                into: &batch)
        }
    }

    /// Refuses a document without positions at its end, and reports the pauses of another one.
    func finish(_ sink: FixSink, into batch: inout FixBatch) {
        if positions > 0 {
            if pauses > 0 { batch.remarks.append(.pauses(pauses)) }
            return
        }
        sink.refuse(
            line: nil, field: "Track", value: "",
            reason: .expecting(
                placemarks.count == 0 && placemarks.links > 0 ? .linksOnly : .noKMLPositions(untimedPoints), .kmlTrack),
            into: &batch)
    }

    private mutating func read(_ placemark: XMLTree, _ sink: inout FixSink, into batch: inout FixBatch) {
        let data = placemark.extendedData.map { JSONValue.Member($0.name, .string($0.text)) }
        attributes.clear()
        let device = JSONReading(data, .properties, attributes: &attributes).device
        attributes.clear()
        for element in placemark.descendants(["Track", "LineString"]) {
            if element.name == "Track" {
                readTrack(element, device, &sink, into: &batch)
            } else {
                readLine(element, device, &sink, into: &batch)
            }
        }
        let points = placemark.descendants(["Point"])
        guard let time = placemark["TimeStamp"]?["when"], let point = points.first else {
            untimedPoints += points.count
            return
        }
        positions += 1
        guard points.count == 1 else {
            return sink.refuse(
                line: point.line, field: "Point", value: "", reason: .expecting(.severalPoints(points.count), .kmlTrack),
                into: &batch)
        }
        var reading = JSONReading(data, .properties(for: data), attributes: &attributes).reading
        Self.readTime(time.trimmedText, into: &reading)
        let tuples = KMLCoordinates.tuples(point["coordinates"]?.text ?? "")
        Self.readCoordinates(tuples.count == 1 ? KMLCoordinates.numbers(tuples[0], separator: Self.isComma) : nil, into: &reading)
        deliver(reading, device, time: time, place: point["coordinates"] ?? point, line: point.line, &sink, into: &batch)
    }

    private mutating func readTrack(
        _ track: XMLTree, _ device: String?, _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        let times = track.all("when")
        let places = track.all("coord")
        let count = max(times.count, places.count)
        var members = [[JSONValue.Member]](repeating: [], count: count)
        for array in track["ExtendedData"]?.descendants(["SimpleArrayData"]) ?? [] {
            guard let name = array.attribute("name"), !name.isEmpty else { continue }
            for (index, value) in array.all("value").prefix(count).enumerated() {
                let text = value.trimmedText
                if !text.isEmpty { members[index].append(.init(name, .string(text))) }
            }
        }
        for index in 0..<count {
            if index < places.count, places[index].trimmedText.isEmpty {
                pauses += 1
                continue
            }
            positions += 1
            let time = index < times.count ? times[index] : nil
            let place =
                index < places.count ? places[index] : XMLTree(name: "coord", attributes: [], line: time?.line ?? track.line)
            var reading = PositionReading()
            if !members[index].isEmpty { reading = JSONReading(members[index], .properties, attributes: &attributes).reading }
            Self.readTime(time?.trimmedText ?? "", into: &reading)
            if index < places.count {
                Self.readCoordinates(KMLCoordinates.numbers(place.trimmedText, separator: \.isWhitespace), into: &reading)
            }
            deliver(reading, device, time: time, place: place, line: place.line, &sink, into: &batch)
        }
    }

    /// Reads a line without times, for which the options may give them.
    private mutating func readLine(
        _ element: XMLTree, _ device: String?, _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        let coordinates = element["coordinates"] ?? element
        let tuples = KMLCoordinates.tuples(coordinates.text)
        positions += 1
        guard sink.givesTimes else {
            refusals += 1
            if refusals > Self.maxRefusals { return }
            return sink.refuse(
                line: element.line, field: "LineString", value: "",
                reason: .expecting(.lineWithoutTimes(tuples.count), .timeForEach), into: &batch)
        }
        for tuple in tuples {
            var reading = PositionReading()
            Self.readCoordinates(KMLCoordinates.numbers(tuple, separator: Self.isComma), into: &reading)
            var place = coordinates
            place.text = String(tuple)
            deliver(reading, device, time: nil, place: place, line: element.line, &sink, into: &batch)
        }
    }

    private static func isComma(_ character: Character) -> Bool { character == "," }

    /// Reads the time of a position. Other names of times or devices for a single position are ignored.
    private static func readTime(_ text: String, into reading: inout PositionReading) {
        reading.time = nil
        if reading.unreadable == .device { reading.unreadable = nil }
        if !text.isEmpty { reading.readTime(text) }
    }

    private static func readCoordinates(_ numbers: [Double]?, into reading: inout PositionReading) {
        reading.latitude = reading.required(numbers?[1], .latitude)
        reading.longitude = reading.required(numbers?[0], .longitude)
        if reading.altitude.isNaN, let numbers, numbers.count > 2 { reading.altitude = numbers[2] }
    }

    private mutating func deliver(
        _ reading: PositionReading, _ device: String?, time: XMLTree?, place: XMLTree, line: Int, _ sink: inout FixSink,
        into batch: inout FixBatch
    ) {
        do throws(ReadingFlaw) {
            let number = try (device ?? "").withBytes { (bytes) throws(ReadingFlaw) in
                try sink.device(device == nil ? .file : .named(0..<bytes.count), bytes, in: &batch)
            }
            try sink.deliver(reading, device: number, attributes: &attributes, line: line, into: &batch)
        } catch {
            attributes.clear()
            refusals += 1
            if refusals > Self.maxRefusals { return }
            switch error.field {
            case .time: sink.refuse(error, line: time?.line ?? line, field: "when", value: time?.trimmedText ?? "", into: &batch)
            case .latitude, .longitude:
                sink.refuse(error, line: place.line, field: place.name, value: place.trimmedText, into: &batch)
            default:
                sink.refuse(
                    error, line: line, field: error.field.name, value: error.field == .device ? device ?? "" : "", into: &batch)
            }
        }
    }
}
