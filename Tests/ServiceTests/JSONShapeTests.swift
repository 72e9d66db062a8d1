import Model
import Service
import Testing

@Suite("JSON shapes")
struct JSONShapeTests {
    private enum Color: String, CaseIterable, Sendable { case red, green }

    private struct Lamp: Hashable, JSONDescribed {
        var id: String
        var color: Color
        var height: Double?
        var count: Int
        var isOn: Bool
        var since: Instant
        var tags: [String]

        static let shape = JSONShape<Lamp>(
            "A lamp",
            .init("id", kind: .text, summary: "Its id", content: \.id),
            .init("color", kind: .word, summary: "Its color", content: \.color),
            .init("height", optional: .number, summary: "Meters", content: \.height),
            .init("count", kind: .whole, summary: "How many", content: \.count),
            .init("isOn", kind: .flag, summary: "Whether it shines", content: \.isOn),
            .init("since", kind: .time, summary: "Since when", content: \.since),
            .init("tags", kind: .list(of: .text), summary: "Tags", content: \.tags)
        ) { id, color, height, count, isOn, since, tags in
            Lamp(id: id, color: color, height: height, count: count, isOn: isOn, since: since, tags: tags)
        }
    }

    private static let lamp = Lamp(
        id: "a", color: .green, height: nil, count: 2, isOn: true, since: Instant(milliseconds: 0), tags: ["x", "y"])

    @Test("Objects have their members in order, without optional members that have no content")
    func encode() {
        #expect(
            Self.lamp.json.description
                == #"{"id":"a","color":"green","count":2,"isOn":true,"since":"1970-01-01T00:00:00.000Z","tags":["x","y"]}"#)
        #expect(Self.lamp.json(with: [.init("note", "n")])["note"] == "n")
    }

    @Test("A value is read from its own object, with and without optional members", arguments: [nil, 1.5])
    func decode(height: Double?) throws {
        var lamp = Self.lamp
        lamp.height = height
        #expect(try Lamp.shape.decode(lamp.json) == lamp)
        #expect(try Lamp.shape.decode(lamp.json(with: [.init("note", "n")])) == lamp)
        #expect(try Lamp.shape.decode(Self.lamp.json(with: [.init("height", .null)])) == Self.lamp)
    }

    @Test(
        "A mismatch names the member that is missing or has other content",
        arguments: [
            ("id", "null", "text"), ("color", #""blue""#, "known word"), ("height", #""tall""#, "number"),
            ("count", "1.5", "number"),
            ("isOn", #""yes""#, "true or false as"), ("since", #""yesterday""#, "time"), ("tags", #""x""#, "list"),
            ("tags", "[1]", "list"),
        ])
    func mismatch(member: String, value: String, expected: String) throws {
        let value = try JSONParser.parse(value)
        let members = (Self.lamp.json.members ?? []).filter { $0.name != member } + [.init(member, value)]
        let error = #expect(throws: JSONMismatch.self) { try Lamp.shape.decode(.object(members)) }
        #expect(error?.member == member && error.map { Language.english.catalog.words($0.expected) } == expected)
    }

    @Test("The schema describes all members and lists the required ones")
    func schema() {
        let schema = Lamp.shape.schema(others: ["more": ["type": "string"]], optional: ["note": ["type": "string"]])
        #expect(schema["required"] == ["id", "color", "count", "isOn", "since", "tags", "more"])
        #expect(schema["properties"]?.members?.map(\.name).suffix(2) == ["height", "note"])
        #expect(schema["properties"]?["color"] == ["type": "string", "description": "Its color", "enum": ["red", "green"]])
        #expect(schema["properties"]?["tags"]?["items"] == ["type": "string"])
        #expect(schema["properties"]?["since"]?["format"] == "date-time")
    }
}
