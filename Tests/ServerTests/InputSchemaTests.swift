import Comparison
import Core
import Delivery
import Model
import Places
import Testing

@testable import Server

/// Documents that people write are decoded by `JSONFields`, apart from their schema. These tests compare the decoders with the schemas.
@Suite("Schemas of input")
struct InputSchemaTests {
    private static let validator = SchemaValidator(OpenAPI.document)

    /// A kind of document: the names of its schemas, examples with all members that belong together, and its decoder.
    private struct Document: CustomTestStringConvertible, Sendable {
        var schema: String
        var examples: [JSONValue]
        var decode: @Sendable (JSONValue) throws -> Void

        var testDescription: String { schema }
    }

    private static let documents = [
        Document(
            schema: "Geofence",
            examples: [
                ["name": "Home", "latitude": .number("52.5"), "longitude": .number("13.4"), "radius": .number("100")],
                [
                    "geometry": [
                        "type": "Polygon",
                        "coordinates": [
                            [
                                [.number("0"), .number("0")], [.number("1"), .number("0")], [.number("1"), .number("1")],
                                [.number("0"), .number("0")],
                            ]
                        ],
                    ]
                ],
            ]
        ) { _ = try Geofence(json: $0, id: "text") },
        Document(schema: "Device", examples: [["platform": "ios", "registry": "simulated"]]) {
            _ = try Device(json: $0, id: "text")
        },
        Document(
            schema: "Rule",
            examples: [
                ["deviceId": "anna", "geofenceId": "home", "kind": "entersBy", "by": "08:15"],
                ["group": "text", "geofenceId": "home", "kind": "staysAtMost", "duration": .number("3600")],
                ["deviceId": "anna", "geofenceId": "home", "kind": "staysUntil", "until": "18:00"],
            ]
        ) { _ = try PresenceRule(json: $0, id: nil, now: Instant(milliseconds: 0)) },
        Document(
            schema: "NewSink",
            examples: [
                ["kind": "webhook", "url": "https://example.com/h", "template": "{}", "contentType": "application/json"],
                ["kind": "ntfy", "url": "https://ntfy.sh/topic"], ["kind": "telegram", "token": "123:abc", "chat": "42"],
                ["kind": "email", "server": "smtps://example.com", "from": "a@b.c", "to": ["d@e.f"]],
                ["kind": "mqtt", "url": "mqtt://example.com"],
                ["kind": "mqtt", "url": "mqtt://example.com", "discovery": "homeassistant"],
                ["kind": "file", "path": "/var/log/events.ndjson"], ["kind": "command", "command": ["/bin/notify"]],
                ["kind": "positions", "url": "https://example.com/in"],
            ]
        ) { _ = try Sink(json: $0, id: nil) },
        Document(
            schema: "Observation",
            examples: [
                ["at": "2026-05-01T10:00:00Z", "type": "enter", "identifier": "picket/home"],
                [
                    "at": "2026-05-01T10:00:00Z", "type": "regions",
                    "regions": [
                        [
                            "identifier": "picket/home", "latitude": .number("52.5"), "longitude": .number("13.4"),
                            "radius": .number("100"),
                        ]
                    ],
                ],
                ["at": "2026-05-01T10:00:00Z", "type": "authorization", "authorizationStatus": "always"],
                ["at": "2026-05-01T10:00:00Z", "type": "locationServices", "locationServicesEnabled": true],
                ["at": "2026-05-01T10:00:00Z", "type": "error", "code": "kCLErrorRegionMonitoringFailure"],
            ]
        ) { _ = try AppObservation(json: $0) },
        Document(schema: "Preferences", examples: [[:]]) { _ = try Preferences($0) },
        Document(schema: "NewEnrollment", examples: [[:]]) { _ = try EnrollmentRequest(json: $0, deviceId: "anna") },
        Document(schema: "SinkFilter", examples: [[:]]) { _ = try SinkFilter(json: $0) },
        Document(schema: "RateLimit", examples: [["messages": .number("1"), "seconds": .number("1")]]) {
            json in _ = try Sink(json: ["kind": "file", "path": "/a", "rateLimit": json], id: nil)
        },
        Document(schema: "PolicyFields", examples: [[:]]) { _ = try PolicyOverride(json: $0) },
    ]

    /// The schema of a name, with the members that another name stands for.
    private static func schema(_ name: String) -> JSONValue { OpenAPI.document["components"]?["schemas"]?[name] ?? .null }

    /// The members of a schema, or of all its choices.
    private static func properties(of schema: JSONValue) -> [JSONValue.Member] {
        if let name = schema["$ref"]?.string?.split(separator: "/").last { return properties(of: Self.schema(String(name))) }
        return (schema["anyOf"]?.array ?? []).flatMap(properties) + (schema["properties"]?.members ?? [])
    }

    /// A value that fits a schema.
    private static func value(of schema: JSONValue) -> JSONValue {
        if let choice = schema["oneOf"]?.array?.first { return value(of: choice) }
        if let word = schema["enum"]?.array?.first { return word }
        if let name = schema["$ref"]?.string?.split(separator: "/").last {
            let named = Self.schema(String(name))
            let required = (named["required"]?.array ?? []).compactMap(\.string)
            if named["oneOf"] != nil { return value(of: named) }
            return .object(required.map { .init($0, value(of: named["properties"]?[$0] ?? .null)) })
        }
        return switch schema["type"]?.string ?? schema["type"]?.array?.first?.string {
        case "array": .array([schema["items"].map(value(of:)) ?? .null])
        case "object": [:]
        case "boolean": true
        case "number", "integer": .number("60")
        default: schema["format"] == "date-time" ? "2026-05-01T10:00:00Z" : "text"
        }
    }

    /// Whether a decoder refuses a member because it does not know it, or because it expects another type.
    private static func isRefused(_ member: String, _ body: () throws -> Void) -> Phrase? {
        do {
            try body()
            return nil
        } catch Problem.validationFailed(let field, _, let reason, _) {
            switch reason {
            case let reason where reason.isSameText(as: .noSuchFieldIn(.device)):
                return field.split(separator: ".").last.map(String.init) == member ? reason : nil
            case .notText, .notANumber, .notAWholeNumber, .notAList, .notAFlag, .notAnObject, .noSuchValue:
                return field.split(separator: ".").last.map(String.init) == member ? reason : nil
            default: return nil
            }
        } catch {
            return nil
        }
    }

    @Test("A decoder knows every member of its schema, with the type of the schema", arguments: documents)
    private func known(_ document: Document) {
        let properties = Self.properties(of: Self.schema(document.schema))
        #expect(!properties.isEmpty)
        for property in properties {
            // Of the kinds of a document, some have the member.
            let refusals = document.examples.map { example in
                Self.isRefused(property.name) {
                    try document.decode(example.merged(with: [property.name: Self.value(of: property.value)]))
                }
            }
            #expect(refusals.contains(nil), "\(document.schema).\(property.name): \(refusals)")
        }
    }

    @Test("A decoder refuses a member that its schema lacks", arguments: documents)
    private func unknown(_ document: Document) {
        for example in document.examples {
            // A decoder may find that something else is wrong first.
            #expect(throws: Problem.self) { try document.decode(example.merged(with: ["colour": "red"])) }
        }
        #expect(
            document.examples.contains { example in
                Self.isRefused("colour") { try document.decode(example.merged(with: ["colour": .number("1")])) } != nil
            })
    }

    // MARK: - Random documents

    @Test("What is written of a geofence fits its schema and is read as the same geofence", arguments: [1, 2] as [UInt64])
    func geofences(seed: UInt64) throws {
        var random = RandomDocuments(seed: seed)
        for _ in 0..<200 {
            let geofence = random.geofence()
            try #require(geofence.flaw == nil, "seed \(seed)")
            let json = geofence.json
            #expect(Self.validator.flaws(of: json, by: JSONSchema.reference(to: "Geofence")) == [], "seed \(seed)")
            #expect(try Geofence(json: json, id: geofence.id) == geofence, "seed \(seed): \(json)")
        }
    }

    @Test("What is written of a device fits its schema and is read as the same device", arguments: [3, 4] as [UInt64])
    func devices(seed: UInt64) throws {
        var random = RandomDocuments(seed: seed)
        for _ in 0..<200 {
            let device = try random.device()
            let json = device.json
            #expect(Self.validator.flaws(of: json, by: JSONSchema.reference(to: "Device")) == [], "seed \(seed)")
            #expect(try Device(json: json, id: device.id) == device, "seed \(seed): \(json)")
        }
    }

    @Test("What is written of a group fits its schema, and its values are read as the same", arguments: [9, 10] as [UInt64])
    func groups(seed: UInt64) throws {
        var random = RandomDocuments(seed: seed)
        for _ in 0..<200 {
            let group = Queries.Group(name: "family", devices: 2, geofences: 1, defaults: try random.defaults())
            let edit = GroupEdit(
                group: group, isApplied: true, changedDevices: 1, deletion: PositionDeletion(positions: 1, of: 2))
            for (json, schema) in [(group.json, "Group"), (edit.json, "GroupEdit")] {
                #expect(Self.validator.flaws(of: json, by: JSONSchema.reference(to: schema)) == [], "seed \(seed): \(json)")
            }
            #expect(try DeviceDefaults(json: group.defaults.json, of: .group) == group.defaults, "seed \(seed): \(group.json)")
        }
    }

    @Test("What is written of a rule fits its schema and is read as the same rule", arguments: [5, 6] as [UInt64])
    func rules(seed: UInt64) throws {
        var random = RandomDocuments(seed: seed)
        for _ in 0..<200 {
            let rule = random.rule()
            let json = rule.json
            #expect(Self.validator.flaws(of: json, by: JSONSchema.reference(to: "Rule")) == [], "seed \(seed)")
            #expect(try PresenceRule(json: json, id: rule.id, now: Instant(milliseconds: 1)) == rule, "seed \(seed): \(json)")
            let missed = MissedRule(id: rule.id, expectation: rule.expectation, timeZone: rule.timeZone, hasPosition: true)
            #expect(Self.validator.flaws(of: missed.json, by: JSONSchema.reference(to: "MissedRule")) == [], "seed \(seed)")
            #expect(try MissedRule(json: missed.json, hasPosition: true) == missed, "seed \(seed)")
        }
    }

    @Test("What is written of a sink fits its schema and is read as the same sink", arguments: [7, 8] as [UInt64])
    func sinks(seed: UInt64) throws {
        var random = RandomDocuments(seed: seed)
        var kinds: Set<SinkKind> = []
        for _ in 0..<200 {
            let sink = random.sink()
            try #require(sink.flaw == nil, "seed \(seed): \(sink)")
            kinds.insert(sink.target.kind)
            let (json, shown) = (sink.json(withSecrets: true), sink.json(withSecrets: false))
            for json in [json, shown] {
                #expect(Self.validator.flaws(of: json, by: JSONSchema.reference(to: "NewSink")) == [], "seed \(seed): \(json)")
            }
            #expect(try Sink(json: json, id: sink.id) == sink, "seed \(seed): \(json)")
            #expect(try Sink(json: shown, id: sink.id, known: sink) == sink, "seed \(seed): \(shown)")
        }
        #expect(kinds.count >= 6, "seed \(seed)")
    }
}
