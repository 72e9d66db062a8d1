import Model

extension SinkFilter {
    /// The filter's values that differ from the defaults; nil when there are none.
    package var json: JSONValue? {
        func list(_ texts: [String]) -> JSONValue? { texts.isEmpty ? nil : .array(texts.map(JSONValue.string)) }
        let json = JSONValue.compact([
            ("geofences", list(geofences)), ("devices", list(devices)), ("groups", list(groups)),
            ("types", list(types.map(\.rawValue))), ("initial", includesInitial ? true : nil),
            ("inferred", includesInferred ? nil : false),
            ("quietHours", list(quietHours.map(\.text))), ("schedule", list(schedule.map(\.text))),
        ])
        return json == .object([]) ? nil : json
    }

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

extension RateLimit {
    var json: JSONValue { ["messages": JSONValue(maximumCount), "seconds": JSONValue(period)] }

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
