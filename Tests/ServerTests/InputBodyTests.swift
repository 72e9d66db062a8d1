import Model
import TestSupport
import Testing

@testable import Server

/// Makes bodies that fit a schema, with optional members or without them.
private struct RandomBodies {
    var random: SeededRandom
    private static let schemas = OpenAPI.document["components"]?["schemas"] ?? .null

    mutating func body(_ schema: JSONValue) -> JSONValue {
        if let name = schema["$ref"]?.string?.split(separator: "/").last { return body(Self.schemas[String(name)] ?? .null) }
        if let choices = schema["oneOf"]?.array ?? schema["anyOf"]?.array { return body(choices.randomElement(using: &random)!) }
        if let words = schema["enum"]?.array { return words.randomElement(using: &random)! }
        switch schema["type"]?.string ?? schema["type"]?.array?.randomElement(using: &random)?.string {
        case "null": return .null
        case "boolean": return .bool(.random(using: &random))
        case "string": return schema["format"] == "date-time" ? "2026-05-01T10:00:00Z" : .string("x\(random.next() % 1000)")
        case let type? where ["number", "integer"].contains(type):
            let least = schema["minimum"]?.double ?? 0
            let most = schema["maximum"]?.double ?? least + 1000
            let number = Double.random(in: least...most, using: &random)
            return type == "integer" ? JSONValue(Int(number)) : JSONValue(number)
        case "array":
            let count = Int(schema["minItems"]?.double ?? 0) + Int.random(in: 0...1, using: &random)
            return .array((0..<count).map { _ in body(schema["items"] ?? ["type": "null"]) })
        default:
            let required = (schema["required"]?.array ?? []).compactMap(\.string)
            let members = (schema["properties"]?.members ?? []).compactMap { member -> JSONValue.Member? in
                guard required.contains(member.name) || Int.random(in: 0..<4, using: &random) == 0 else { return nil }
                return .init(member.name, body(member.value))
            }
            return .object(members)
        }
    }
}

@Suite("Bodies that fit their schema", .timeLimit(.minutes(60)))
struct InputBodyTests {
    /// The problem that a member is missing, unknown, or of another type than the schema says.
    private static func contradicts(_ reason: Phrase) -> Bool {
        let plain: [Phrase] = [
            .missing, .notText, .notANumber, .notAWholeNumber, .notAList, .notAnObject, .notAFlag, .noneThere, .neitherIDNorName,
            .noRing,
            .notAPosition, .pointWithoutRadius, .coordinatesBeside, .togetherWithIdentifiers, .noSuchValue, .noSuchList,
            .notAnEdit,
            .subjectMissing, .deviceAndGroup, .messagesMissing, .secondsMissing,
        ]
        return plain.contains(reason) || reason.isSameText(as: .noSuchFieldIn(.device))
            || reason.isSameText(as: .hasOtherValues(""))
    }

    @Test(
        "A body that fits the schema is not refused as incomplete, unknown or of a wrong type",
        arguments: [
            ("POST", "/v1/devices"), ("PUT", "/v1/devices/{id}"), ("POST", "/v1/geofences"), ("PUT", "/v1/geofences/{id}"),
            ("POST", "/v1/geofences:overlaps"), ("POST", "/v1/devices/{id}/registry:simulate"), ("POST", "/v1/positions"),
            ("POST", "/v1/geofences:edit"), ("POST", "/v1/devices:edit"), ("POST", "/v1/rules"), ("PUT", "/v1/rules/{id}"),
            ("POST", "/v1/sinks"), ("PUT", "/v1/sinks/{id}"),
        ])
    func bodies(_ method: String, _ path: String) async throws {
        let bench = try ServerBench()
        let route = try #require(Routes.all.first { $0.method == method && $0.path == path }, "\(method) \(path)")
        for (type, schema) in route.description.body where type.hasSuffix("json") && schema != "Text" {
            try await bodies(bench, method, path, type, schema)
        }
    }

    private func bodies(
        _ bench: ServerBench, _ method: String, _ path: String, _ type: String, _ schema: String
    ) async throws {
        for seed in 1...150 as ClosedRange<UInt64> {
            var bodies = RandomBodies(random: SeededRandom(seed: seed))
            var body = bodies.body(JSONSchema.reference(to: schema))
            // A stream has a document in each line.
            if type == "application/x-ndjson", body.array != nil { continue }
            // An id of the body is that of the path.
            if path.contains("{id}"), body["id"] != nil { body = body.merged(with: ["id": .null]) }
            if path.hasSuffix("registry:simulate") {
                try await bench.ask("PUT", "/v1/devices/x", body: #"{"platform":"ios","registry":"simulated"}"#)
            }
            let answer = try await bench.ask(method, path.replacing("{id}", with: "x"), body: body.description, type: type)
            // A simulated phone can be made to fail.
            let mayFail = path.hasSuffix("registry:simulate") && answer.status == 503
            #expect(answer.status < 500 || mayFail, "seed \(seed): \(body): \(answer.text)")
            guard answer.status == 422, let json = try? answer.json() else { continue }
            for refused in [json] + (json["refused"]?.array ?? []) {
                guard let code = refused["code"]?.string,
                    case .validationFailed(let field, _, let reason, _)? = Problem(
                        code: code, parameters: refused["parameters"] ?? .null),
                    // Only some numbers of a policy are allowed, and all others are called no numbers.
                    !field.hasPrefix("policy.")
                else { continue }
                #expect(!Self.contradicts(reason), "seed \(seed): \(body): \(answer.text)")
            }
        }
    }

    @Test(
        "The schemas refuse what the routes refuse: a device without id, a geofence without shape, an action without its values")
    func required() {
        let validator = SchemaValidator(OpenAPI.document)
        for (schema, body) in [
            ("NewDevice", "{}"), ("NewGeofence", #"{"name":"x"}"#), ("NewGeofence", #"{"name":"x","latitude":1,"longitude":2}"#),
            ("SimulatedAction", #"{"action":"set"}"#), ("SimulatedAction", #"{"action":"fail","fault":"drift"}"#),
            ("SimulatedAction", #"{"action":"profile","profile":"custom"}"#),
        ] {
            let json = (try? JSONParser.parse(body)) ?? .null
            #expect(!validator.flaws(of: json, by: JSONSchema.reference(to: schema)).isEmpty, "\(schema) \(body)")
        }
        for (schema, body) in [
            ("NewDevice", #"{"id":"x","inputTimeZone":null}"#), ("DeviceInput", "{}"),
            ("NewGeofence", #"{"name":"x","latitude":1,"longitude":2,"radius":100,"dwell":null}"#),
            ("SimulatedAction", #"{"action":"set","setting":"precise","value":"on"}"#),
            ("SimulatedAction", #"{"action":"drop"}"#),
        ] {
            let json = (try? JSONParser.parse(body)) ?? .null
            #expect(validator.flaws(of: json, by: JSONSchema.reference(to: schema)) == [], "\(schema) \(body)")
        }
    }
}
