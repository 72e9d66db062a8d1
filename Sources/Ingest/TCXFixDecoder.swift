import Model

/// Decodes the track points of TCX, Garmin's format of activities ("TrainingCenterDatabase v2"). Those of courses are not decoded, because they
/// are a plan with times, and not positions of a device.
///
/// `line` is the line of the `Trackpoint` element. A point without `Position` is a pause, or was measured indoors, and is passed over. Other
/// elements with plain text in a point become attributes.
struct TCXFixDecoder {
    private var points = XMLElementBuilder("Trackpoint", maxBytes: GPXPoint.maxBytes)
    private var isInCourse = false
    private var attributes = AttributeWriter()
    private var positions = 0
    private var pauses = 0
    private var coursePoints = 0

    /// Refuses a document without positions at its end, and reports the pauses of another one.
    func finish(_ sink: FixSink, into batch: inout FixBatch) {
        if positions == 0 {
            sink.refuse(
                line: nil, field: "Trackpoint", value: "", reason: .expecting(.noTCXPositions(pauses, coursePoints), .tcxTrack),
                into: &batch)
        } else if pauses > 0 {
            batch.remarks.append(.pauses(pauses))
        }
    }

    /// Handles an event after the root element.
    ///
    /// - Throws: `Problem.tooLarge` for a point of more than 1 MB.
    mutating func handleEvent(_ event: XMLEvent, _ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        if !points.isInElement {
            switch event {
            case .start("Course", _, _): isInCourse = true
            case .start("Trackpoint", _, _) where isInCourse: coursePoints += 1
            case .end("Course"): isInCourse = false
            default: break
            }
        }
        if isInCourse { return }
        if let point = try points.handleEvent(event, source: sink.source) { read(point, &sink, into: &batch) }
    }

    private mutating func read(_ point: XMLTree, _ sink: inout FixSink, into batch: inout FixBatch) {
        guard let position = point["Position"] else {
            pauses += 1
            return
        }
        positions += 1
        var reading = PositionReading()
        let time = point["Time"]?.trimmedText ?? ""
        if !time.isEmpty { reading.readTime(time) }
        let latitude = position["LatitudeDegrees"]?.trimmedText ?? ""
        let longitude = position["LongitudeDegrees"]?.trimmedText ?? ""
        if !latitude.isEmpty { reading.latitude = reading.required(Self.number(latitude), .latitude) }
        if !longitude.isEmpty { reading.longitude = reading.required(Self.number(longitude), .longitude) }
        for child in point.children where !["Time", "Position"].contains(child.name) {
            readOptional(child, child.name, into: &reading)
        }
        do throws(ReadingFlaw) {
            let nobody: [UInt8] = []
            let device = try sink.device(.file, nobody.span, in: &batch)
            try sink.deliver(reading, device: device, attributes: &attributes, line: point.line, into: &batch)
        } catch {
            attributes.clear()
            let (field, value) =
                switch error.field {
                case .latitude: ("LatitudeDegrees", latitude)
                case .longitude: ("LongitudeDegrees", longitude)
                case .time: ("Time", time)
                default: (error.field.name, "")
                }
            sink.refuse(error, line: point.line, field: field, value: value, into: &batch)
        }
    }

    /// Reads an element that is a field of a position or becomes an attribute, or the elements in it. The `Value` in `HeartRateBpm` has the name
    /// of the outer element.
    private mutating func readOptional(_ element: XMLTree, _ name: String, into reading: inout PositionReading) {
        for child in element.children { readOptional(child, child.name == "Value" ? element.name : child.name, into: &reading) }
        let text = element.children.isEmpty ? element.trimmedText : ""
        if text.isEmpty { return }
        switch (name, Self.number(text)) {
        case ("AltitudeMeters", let number?): reading.altitude = number
        case ("Speed", let number?): reading.speed = number
        default: attributes.add(name: name, text: text)
        }
    }

    private static func number(_ text: String) -> Double? { text.withBytes { DecimalNumber.parse($0, 0..<$0.count) } }
}
