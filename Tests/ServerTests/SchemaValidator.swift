import Model

/// Checks JSON against the schemas of an OpenAPI description, as far as these use JSON Schema. It is stricter than JSON Schema in one
/// respect: an object may only have members that its schema names, so that every member of an answer is described.
struct SchemaValidator {
    private let schemas: JSONValue

    /// - Parameter document: An OpenAPI description.
    init(_ document: JSONValue) { schemas = document["components"]?["schemas"] ?? .null }

    /// The differences from a schema, each with its location; empty when there are none.
    func flaws(of value: JSONValue, by schema: JSONValue, at place: String = "$", isPart: Bool = false) -> [String] {
        let schema = resolved(schema)
        var flaws: [String] = []
        if let parts = schema["allOf"]?.array {
            for part in parts { flaws += self.flaws(of: value, by: part, at: place, isPart: true) }
        }
        if let choices = schema["oneOf"]?.array {
            let matching = choices.count { self.flaws(of: value, by: $0, at: place).isEmpty }
            if matching != 1 { flaws.append("\(place): \(value.description.prefix(80)) is \(matching) of the choices") }
        }
        if let choices = schema["anyOf"]?.array, !choices.contains(where: { self.flaws(of: value, by: $0, at: place).isEmpty }) {
            flaws.append("\(place): \(value.description.prefix(80)) is none of the choices")
        }
        if let number = value.double, case .number = value {
            if let least = schema["minimum"]?.double, number < least { flaws.append("\(place): \(value) is less than \(least)") }
            if let most = schema["maximum"]?.double, number > most { flaws.append("\(place): \(value) is more than \(most)") }
        }
        if let type = schema["type"] {
            let types = type.array?.compactMap(\.string) ?? [type.string ?? ""]
            if !types.contains(where: { Self.isOf($0, value) }) {
                flaws.append("\(place): \(value.description.prefix(80)) is no \(types)")
            }
        }
        if let words = schema["enum"]?.array, !words.contains(value) { flaws.append("\(place): \(value) is none of \(words)") }
        if schema["format"]?.string == "date-time", value.string.flatMap({ Instant($0) }) == nil {
            flaws.append("\(place): \(value) is no time")
        }
        if let items = schema["items"] {
            for (number, element) in (value.array ?? []).enumerated() {
                flaws += self.flaws(of: element, by: items, at: "\(place)[\(number)]")
            }
        }
        for name in schema["required"]?.array?.compactMap(\.string) ?? [] where value[name] == nil {
            flaws.append("\(place): there is no \(name)")
        }
        for member in value.members ?? [] {
            if let known = schema["properties"]?[member.name] {
                flaws += self.flaws(of: member.value, by: known, at: "\(place).\(member.name)")
            }
        }
        if !isPart, let names = names(of: schema) {
            for member in value.members ?? [] where !names.contains(member.name) {
                flaws.append("\(place): \(member.name) is not described")
            }
        }
        return flaws
    }

    /// The allowed member names of an object; nil when any are allowed.
    private func names(of schema: JSONValue) -> Set<String>? {
        let schema = resolved(schema)
        if schema["additionalProperties"]?.bool == true { return nil }
        if let parts = schema["allOf"]?.array {
            return parts.reduce(Set()) { sum, part in sum.flatMap { sum in names(of: part).map(sum.union) } }
        }
        return schema["properties"]?.members.map { Set($0.map(\.name)) }
    }

    private func resolved(_ schema: JSONValue) -> JSONValue {
        guard let reference = schema["$ref"]?.string, let name = reference.split(separator: "/").last else { return schema }
        return schemas[String(name)] ?? ["type": "missing"]
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case ("string", .string), ("number", .number), ("boolean", .bool), ("array", .array), ("object", .object),
            ("null", .null):
            true
        case ("integer", .number(let literal)): Int(literal) != nil
        default: false
        }
    }
}
