import Model
import TestSupport
import Testing

@Suite("JSON outputs")
struct JSONOutputTests {
    private struct Wind: JSONWritable {
        var speed: Double
        var name: String?

        static let output = JSONOutput<Wind>(
            "Wind", summary: "A wind",
            .init("speed", kind: .limit("endless"), summary: "Meters per second", content: \.speed),
            .init("name", kind: .nullable(.text), summary: "Its name", content: \.name))
    }

    private struct Weather: JSONWritable {
        var wind: Wind
        var gust: Wind?
        var winds: [Wind] = []

        static let output = JSONOutput<Weather>(
            "Weather", summary: "The weather",
            .init("title", kind: .text, summary: "One word") { $1.language == .turkish ? "Hava" : "Weather" },
            .init("wind", kind: .object, summary: "The wind now", content: \.wind),
            .init("winds", optional: .list(of: .object), summary: "All winds", content: { $0.winds.isEmpty ? nil : $0.winds }),
            .init(optionalMembersOf: Wind.output, content: \.gust), .init("help", optional: .text) { $1.contact?.description })
    }

    private static let calm = Wind(speed: 0.5)

    @Test("Members are written in order, null and omitted as described")
    func encode() {
        #expect(
            Weather(wind: Self.calm).json(in: AnswerLocale()).description
                == #"{"title":"Weather","wind":{"speed":0.5,"name":null}}"#)
        let storm = Weather(wind: Self.calm, gust: Wind(speed: .infinity, name: "Bora"), winds: [Self.calm])
        #expect(
            storm.json(in: AnswerLocale(.turkish, contact: SupportContact("help@example.org"))).description
                == #"{"title":"Hava","wind":{"speed":0.5,"name":null},"winds":[{"speed":0.5,"name":null}],"speed":"endless","name":"Bora","help":"help@example.org"}"#
        )
    }

    @Test("The schema describes the members that are written")
    func schema() {
        let (schema, reference) = (Weather.output.schema, JSONValue.string("#/components/schemas/Wind"))
        #expect(schema["required"] == ["title", "wind"])
        #expect(schema["properties"]?.members?.map(\.name) == ["title", "wind", "winds", "speed", "name", "help"])
        #expect(schema["properties"]?["wind"] == ["$ref": reference, "description": "The wind now"])
        #expect(schema["properties"]?["winds"]?["items"] == ["$ref": reference])
        #expect(Wind.output.schema["required"] == ["speed", "name"])
        #expect(
            Wind.output.schema["properties"]?["speed"]
                == [
                    "description": "Meters per second", "oneOf": [["type": "number"], ["type": "string", "enum": ["endless"]]],
                ])
        #expect(Wind.output.schema["properties"]?["name"]?["oneOf"]?.array?.last == ["type": "null"])
    }

    @Test("Objects that are only written cannot be read as members of a shape")
    func unreadable() {
        let shape = JSONShape<Weather>("Report", summary: "A report", .init("wind", kind: .object, content: \.wind)) {
            Weather(wind: $0)
        }
        #expect(throws: JSONMismatch.self) { try shape.decode(["wind": Self.calm.json(in: AnswerLocale())]) }
    }

    @Test("Null and words for infinity are read", arguments: [nil, "a"])
    func read(name: String?) throws {
        let shape = JSONShape<Wind>(
            "Wind", summary: "A wind", .init("speed", kind: .limit("endless"), content: \.speed),
            .init("name", kind: .nullable(.text), content: \.name)
        ) { Wind(speed: $0, name: $1) }
        for speed in [1.5, .infinity] {
            let read = try shape.decode(shape.encode(Wind(speed: speed, name: name)))
            #expect(read.speed == speed && read.name == name)
        }
        #expect(throws: JSONMismatch.self) { try shape.decode(["speed": .number("1")]) }
    }

    @Test("A problem names the contact only with its action")
    func problem() {
        let contact = SupportContact("help@example.org")
        for problem in Problem.samples {
            let action = problem.json(contact: contact)["recoveryAction"]
            #expect((action?["contact"] == nil) == (action?["kind"]?.string != "contactSupport"))
        }
    }
}
