import Geodesy
import Model

// Regions and registry errors as JSON, for storage and for the output of `registry show`.

extension Region {
    /// The region as a JSON object; `output` describes the members.
    public var json: JSONValue { json(in: AnswerLocale()) }

    /// Reads the output of `json`; nil if the identifier, the coordinate or the radius is missing or has another type.
    public init?(json: JSONValue) {
        guard let id = json["identifier"]?.string, let latitude = json["latitude"]?.double,
            let longitude = json["longitude"]?.double, let radius = json["radius"]?.double
        else { return nil }
        self.init(
            id: RegionID(id), circle: Circle(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius),
            notifyOnEntry: json["notifyOnEntry"]?.bool ?? true, notifyOnExit: json["notifyOnExit"]?.bool ?? true)
    }

    /// Reads an element of the list `regions`.
    ///
    /// - Parameter number: The number of the element, from 0.
    /// - Throws: `Problem.validationFailed` if it is not a region with an identifier and a valid center.
    package init(json: JSONValue, number: Int) throws(Problem) {
        guard let region = Region(json: json), !region.id.text.isEmpty, region.circle.center.flaw == nil else {
            throw .validationFailed(
                field: "regions[\(number)]", value: String(json.description.prefix(60)), reason: .notARegion,
                expected: .regionFields)
        }
        self = region
    }
}

extension Region: JSONWritable {
    package static let output = JSONOutput<Region>(
        "Region", summary: "A circle that an operating system watches",
        .init(
            "identifier", kind: .text, summary: "The identifier in the operating system; Picket's begin with picket/",
            content: \.id.text),
        .init("latitude", kind: .number, summary: "Degrees", content: \.circle.center.latitude),
        .init("longitude", kind: .number, summary: "Degrees", content: \.circle.center.longitude),
        .init("radius", kind: .number, summary: "Meters", content: \.circle.radius),
        .init(
            "notifyOnEntry", optional: .flag, summary: "Whether enters are reported; true when omitted", content: \.notifyOnEntry),
        .init("notifyOnExit", optional: .flag, summary: "Whether exits are reported; true when omitted", content: \.notifyOnExit))
}

extension RegistryError {
    /// `{"code","number","alternative"}`.
    public var json: JSONValue {
        .compact([
            ("code", .string(code.name)), ("number", code.number.map(JSONValue.init(_:))), ("alternative", alternative?.json),
        ])
    }

    /// Reads the output of `json`; nil if there is no code.
    public init?(json: JSONValue) {
        guard let name = json["code"]?.string else { return nil }
        var code = Code(name: name)
        if code.number == nil { code.number = json["number"]?.double.flatMap { Int(exactly: $0) } }
        self.init(code, alternative: json["alternative"].flatMap(Region.init(json:)))
    }
}
