import Model

/// A GPX track point while it is being read.
struct GPXPoint {
    /// The maximum size of a point's text and attributes in bytes.
    static let maxBytes = 1 << 20

    /// The line where the point starts.
    private(set) var line = 0
    /// The size of the point's text and attributes so far, in bytes.
    var size: Int { attributes.size + content.utf8.count }
    private var reading = PositionReading()
    private var latitude: String?
    private var longitude: String?
    private var timeText = ""
    private var attributes = AttributeWriter()
    /// The text of the innermost element while it has no child elements.
    private var content = ""
    private var isLeaf = false

    init() {}

    init(_ attributes: [XMLEvent.Attribute], line: Int) {
        self.line = line
        latitude = attributes.first { $0.name == "lat" }?.value
        longitude = attributes.first { $0.name == "lon" }?.value
        if let latitude { reading.latitude = reading.required(Self.number(latitude), .latitude) }
        if let longitude { reading.longitude = reading.required(Self.number(longitude), .longitude) }
    }

    /// Handles the start of an element within the point.
    mutating func start(_ name: String, _ attributes: [XMLEvent.Attribute]) {
        content = ""
        isLeaf = true
        for attribute in attributes where !attribute.value.isEmpty {
            self.attributes.add(name: "\(name).\(attribute.name)", text: attribute.value)
        }
    }

    mutating func text(_ text: String) {
        guard isLeaf else { return }
        content += text
    }

    /// Handles the end of an element within the point. At `depth` 2 it is a child of the point.
    mutating func end(_ name: String, depth: Int) {
        defer { isLeaf = false }
        guard isLeaf else { return }
        let text = content.trimmed
        if text.isEmpty { return }
        if name == "time", depth == 2 {
            timeText = text
            reading.readTime(text)
        } else if !storeField(name, Self.number(text), isChild: depth == 2) {
            attributes.add(name: name, text: text)
        }
    }

    /// Stores the value of a fix's field. False if there is no such field, or if the text is not a number.
    private mutating func storeField(_ name: String, _ number: Double?, isChild: Bool) -> Bool {
        guard let number else { return false }
        switch name {
        case "ele" where isChild: reading.altitude = number
        case "hdop" where isChild: reading.dilution = number
        case "speed": reading.speed = number
        case "course": reading.course = number
        case "hAcc": if number >= 0 { reading.accuracy = number }
        default: return false
        }
        return true
    }

    /// Adds the complete point as a fix, or refuses it.
    ///
    /// - Parameter track: The name of the track, if it names the device.
    mutating func deliver(ofTrack track: String?, _ sink: inout FixSink, into batch: inout FixBatch) {
        do throws(ReadingFlaw) {
            let device = try (track ?? "").withBytes { (name) throws(ReadingFlaw) in
                try sink.device(track == nil ? .file : .named(0..<name.count), name, in: &batch)
            }
            try sink.deliver(reading, device: device, attributes: &attributes, line: line, into: &batch)
        } catch {
            let (field, value) =
                switch error.field {
                case .latitude: ("lat", latitude ?? "")
                case .longitude: ("lon", longitude ?? "")
                case .time: ("time", timeText)
                default: (error.field.name, "")
                }
            sink.refuse(error, line: line, field: field, value: value, into: &batch)
        }
    }

    private static func number(_ text: String) -> Double? {
        text.withBytes { DecimalNumber.parse($0, $0.trimmed(0..<$0.count)) }
    }
}
