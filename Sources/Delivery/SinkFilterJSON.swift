import Model

extension SinkFilter: JSONWritable {
    /// Only values that differ from the defaults are written.
    package static let output = JSONOutput<SinkFilter>(
        "SinkFilter", summary: "Decides which events are sent; an omitted list admits all",
        .init("geofences", optional: .list(of: .text), summary: "Ids of geofences") { listed($0.geofences) },
        .init("devices", optional: .list(of: .text), summary: "Ids of devices") { listed($0.devices) },
        .init("groups", optional: .list(of: .text), summary: "Names of groups of devices") { listed($0.groups) },
        .init("types", optional: .list(of: .word), summary: "Types of events; retractions follow the retracted event") {
            listed($0.types)
        },
        .init(
            "initial", optional: .flag, summary: "Whether to send enters of devices whose first position is already inside",
            content: { $0.includesInitial ? true : nil }),
        .init(
            "inferred", optional: .flag, summary: "Whether to send events that were inferred and that no position shows",
            content: { $0.includesInferred ? nil : false }),
        .init(
            "quietHours", optional: .list(of: .text),
            summary: "When nothing is sent, such as 22:00-07:00 or sat,sun 00:00-24:00",
            content: { listed($0.quietHours.map(\.text)) }),
        .init(
            "schedule", optional: .list(of: .text),
            summary: "The only times at which something is sent, such as mon-fri 08:00-18:00",
            content: { listed($0.schedule.map(\.text)) }))

    /// The filter; nil if it has all default values.
    package var nonDefault: SinkFilter? { self == SinkFilter() ? nil : self }

    /// Nil for an empty list.
    private static func listed<Element>(_ list: [Element]) -> [Element]? { list.isEmpty ? nil : list }

    package init(json: JSONValue) throws(Problem) {
        var fields = try JSONFields(json, of: .filter)
        self.init(
            geofences: try fields.texts("geofences"), devices: try fields.texts("devices"), groups: try fields.texts("groups"),
            types: try Self.types(fields.texts("types")), initial: try fields.flag("initial") ?? false,
            inferred: try fields.flag("inferred") ?? true, quietHours: try Self.windows("quietHours", &fields),
            schedule: try Self.windows("schedule", &fields))
        try fields.finish()
    }

    private static func types(_ names: [String]) throws(Problem) -> [EventType] {
        // A retraction goes wherever the retracted event went.
        let known = EventType.allCases.filter { $0 != .retracted }
        var types: [EventType] = []
        for name in names {
            guard let type = known.first(where: { $0.rawValue == name }) else {
                throw .validationFailed(
                    field: "types", value: name, reason: .noSuchType,
                    expected: .oneOf(known.map(\.rawValue)))
            }
            types.append(type)
        }
        return types
    }

    private static func windows(_ name: String, _ fields: inout JSONFields) throws(Problem) -> [WeeklyWindow] {
        var windows: [WeeklyWindow] = []
        for text in try fields.texts(name) { windows.append(try WeeklyWindow(text, field: name)) }
        return windows
    }
}

extension RateLimit: JSONWritable {
    package static let output = JSONOutput<RateLimit>(
        "RateLimit", summary: "The maximum number of messages in a period; more messages wait",
        .init("messages", kind: .whole, summary: "The number of messages", content: \.maximumCount),
        .init("seconds", kind: .number, summary: "The length of the period", content: \.period))

    init(json: JSONValue) throws(Problem) {
        var fields = try JSONFields(json, of: .rateLimit)
        let (count, period) = (try fields.integer("messages"), try fields.number("seconds"))
        try fields.finish()
        guard let count, let period else {
            throw .validationFailed(
                field: "rateLimit", value: "", reason: count == nil ? .messagesMissing : .secondsMissing,
                expected: .like("{\"messages\": 10, \"seconds\": 60}"))
        }
        self.init(count: count, period: period)
        if let flaw { throw flaw }
    }
}
