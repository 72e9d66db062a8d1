import Model
import TestSupport
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
            "Lamp", summary: "A lamp",
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
        #expect(error?.member == member && error?.expected.phrase.description == expected)
    }

    @Test("The schema describes all members and lists the required ones")
    func schema() {
        let schema = Lamp.shape.output.schema
        #expect(schema["required"] == ["id", "color", "count", "isOn", "since", "tags"])
        #expect(schema["properties"]?.members?.map(\.name).last == "height")
        #expect(schema["properties"]?["color"] == ["type": "string", "description": "Its color", "enum": ["red", "green"]])
        #expect(schema["properties"]?["tags"]?["items"] == ["type": "string"])
        #expect(schema["properties"]?["since"]?["format"] == "date-time")
    }

    /// A lamp with its owner: the members of the lamp, and objects.
    private struct OwnedLamp: Hashable, JSONDescribed {
        var lamp: Lamp
        var spare: Lamp?
        var others: [Lamp]
        var notes: [JSONValue.Member]
        var refusal: Phrase

        static let shape = JSONShape<OwnedLamp>(
            "OwnedLamp", summary: "A lamp and others",
            .init(membersOf: Lamp.shape, content: \.lamp),
            .init("spare", optional: .object, content: \.spare),
            .init("others", kind: .list(of: .object), summary: "The others", content: \.others),
            .init("notes", kind: .anyObject, summary: "Anything", content: \.notes),
            JSONMember<OwnedLamp, Phrase>("reason", summary: "Why it is off", content: \.refusal),
            JSONMember<OwnedLamp, Void>("title", summary: "The reason in words") { $0.refusal.text(in: $1) }
        ) { lamp, spare, others, notes, refusal, _ in
            OwnedLamp(lamp: lamp, spare: spare, others: others, notes: notes, refusal: refusal)
        }
    }

    private static let owned = OwnedLamp(
        lamp: lamp, spare: lamp, others: [lamp, lamp], notes: [.init("k", .array([]))], refusal: .missing)

    @Test("Members of another shape are in the same object, and objects of a shape in their own")
    func objects() throws {
        let json = Self.owned.json
        #expect(
            json.members?.map(\.name)
                == ["id", "color", "count", "isOn", "since", "tags", "spare", "others", "notes", "reason", "reasonIn", "title"])
        #expect(json["spare"] == Self.lamp.json && json["others"] == [Self.lamp.json, Self.lamp.json])
        #expect(json["notes"] == ["k": []])
        var plain = Self.owned
        plain.spare = nil
        for lamp in [Self.owned, plain] {
            var read = try OwnedLamp.shape.decode(lamp.json)
            // A reason that was read has its words, and not the case that made them.
            #expect(
                Language.allCases.map { read.refusal.text(in: $0) }
                    == Language.allCases.map { Phrase.missing.text(in: $0) })
            read.refusal = .missing
            #expect(read == lamp)
        }
    }

    @Test("A text depends on the language, and a reason has the words of all", arguments: Language.allCases)
    func languages(_ language: Language) throws {
        let json = Self.owned.json(in: language)
        #expect(json["title"]?.string == Phrase.missing.text(in: language))
        #expect(json["reason"]?.string == Phrase.missing.text(in: .english))
        #expect(json["reasonIn"]?["tr"]?.string == Phrase.missing.text(in: .turkish))
    }

    @Test("A mismatch in an object of a shape names the member of that object")
    func innerMismatch() throws {
        let cases: [(String, String, (String, JSONContent))] = [
            ("spare", "1", ("spare", .object)), ("spare", "{}", ("id", .text)), ("others", "[1]", ("others", .list)),
            ("others", "[{}]", ("id", .text)), ("notes", "[]", ("notes", .object)), ("reason", "1", ("reason", .text)),
        ]
        for (member, value, expected) in cases {
            let value = try JSONParser.parse(value)
            let members = (Self.owned.json.members ?? []).map { $0.name == member ? .init(member, value) : $0 }
            let error = #expect(throws: JSONMismatch.self) { try OwnedLamp.shape.decode(.object(members)) }
            #expect(error?.member == expected.0 && error?.expected == expected.1)
        }
    }

    @Test("The schema of an object refers to that of its shape")
    func references() {
        let schema = OwnedLamp.shape.output.schema
        let reference: JSONValue = ["$ref": "#/components/schemas/Lamp"]
        #expect(schema["properties"]?["spare"] == reference)
        #expect(schema["properties"]?["others"] == ["type": "array", "description": "The others", "items": reference])
        #expect(schema["properties"]?["notes"]?["additionalProperties"] == true)
        #expect(schema["properties"]?["reasonIn"]?["properties"]?["tr"] == ["type": "string"])
        #expect(
            schema["required"]
                == ["id", "color", "count", "isOn", "since", "tags", "others", "notes", "reason", "title"])
    }
}
