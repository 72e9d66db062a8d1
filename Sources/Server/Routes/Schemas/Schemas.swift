import Model
import Service

/// The JSON Schemas (2020-12) of requests and answers, by the names that routes refer to.
enum Schemas {
    typealias Named = (name: String, schema: JSONValue)

    static let all: [Named] =
        general + geofences + devices + events + explanations + registrations + sinks + rules + access + enrollments + phones

    // MARK: - Making schemas

    static func text(_ description: String, _ constraints: JSONValue.Member...) -> JSONValue {
        .object((JSONKind.text.schema(description).members ?? []) + constraints)
    }

    static func time(_ description: String) -> JSONValue { JSONKind.time.schema(description) }
    static func number(_ description: String) -> JSONValue { JSONKind.number.schema(description) }
    static func integer(_ description: String) -> JSONValue { JSONKind<Int>.whole.schema(description) }
    static func flag(_ description: String) -> JSONValue { JSONKind.flag.schema(description) }

    /// A string that is a raw value of an enum.
    static func oneOf<Value: RawRepresentable & CaseIterable & Sendable>(_ description: String, _ type: Value.Type) -> JSONValue
    where Value.RawValue == String {
        JSONKind<Value>.word.schema(description)
    }

    static func list(_ description: String, of element: JSONValue) -> JSONValue {
        ["type": "array", "description": .string(description), "items": element]
    }

    static let words: JSONValue = ["type": "array", "items": ["type": "string"]]

    /// A schema that also allows null.
    static func nullable(_ schema: JSONValue) -> JSONValue { ["oneOf": [schema, ["type": "null"]]] }

    static func any(_ name: String) -> JSONValue { OpenAPI.reference(name) }

    static func object(
        _ description: String, _ required: KeyValuePairs<String, JSONValue>, optional: KeyValuePairs<String, JSONValue> = [:],
        more: KeyValuePairs<String, JSONValue> = [:]
    ) -> JSONValue {
        let members = [required, optional, more].flatMap { $0.map { JSONValue.Member($0.key, $0.value) } }
        return .compact([
            ("type", "object"), ("description", .string(description)),
            ("required", required.isEmpty ? nil : .array(required.map { .string($0.key) })), ("properties", .object(members)),
        ])
    }

    /// An object with any members.
    static func anyObject(_ description: String) -> JSONValue {
        ["type": "object", "description": .string(description), "additionalProperties": true]
    }

    /// A page of a list.
    static func page(_ list: String, of element: String, optional: KeyValuePairs<String, JSONValue> = [:]) -> JSONValue {
        var schema = object(
            "A part of a list", [list: ["type": "array", "items": any(element)]],
            optional: ["next": text("What to give as 'after' for what follows; absent at the end")])
        if !optional.isEmpty, case .object(var members) = schema,
            let place = members.firstIndex(where: { $0.name == "properties" })
        {
            members[place].value = .object(
                (members[place].value.members ?? []) + optional.map { .init($0.key, $0.value) })
            schema = .object(members)
        }
        return schema
    }

    // MARK: - What all have in common

    static let problemMembers: KeyValuePairs<String, JSONValue> = [
        "code": text("Its name, the same in every language"), "title": text("A few words"),
        "message": text("What happened, where, why and what to do"), "icon": text("The name of a symbol to show beside it"),
        "severity": oneOf("How bad it is", Problem.Severity.self),
        "recoveryAction": object(
            "The one thing to do",
            ["kind": oneOf("What", Problem.RecoveryAction.self), "label": text("What a button is called")],
            optional: ["contact": text("Of contactSupport: an address of mail, or a URL that begins with https://")]),
        "isRetryable": flag("Whether the same may succeed later"),
        "requiresReauthentication": flag("Whether a person has to sign in first"),
        "parameters": anyObject("What it is about, for programs: as field, reason, limit; other ones with each code"),
    ]

    private static let general: [Named] = [
        ("Anything", ["description": "Any JSON"]),
        ("Text", ["type": "string"]),
        ("File", ["type": "string", "contentEncoding": "binary"]),
        ("ProblemWords", object("What is wrong", problemMembers, optional: ["details": text("What the machine said")])),
        (
            "Problem",
            [
                "allOf": [
                    any("ProblemWords"),
                    object(
                        "RFC 9457",
                        [
                            "type": text("urn:picket:problem: and the code"), "title": text("A few words"),
                            "status": integer("The HTTP status"), "detail": text("The message again"),
                        ]),
                ]
            ]
        ),
        (
            "StandingProblem",
            object(
                "A problem that stands until it is resolved or dismissed",
                [
                    "id": text("Its id"), "source": text("What failed, as registry/anna-phone"), "problem": any("ProblemWords"),
                    "firstAt": time("When the source first failed"), "lastAt": time("When it last failed"),
                    "consecutiveFailures": integer("Failures without a success between"),
                    "isEscalated": flag("Whether these are three or more"), "isDismissed": flag("Whether a person has hidden it"),
                ])
        ),
        ("ProblemPage", page("problems", of: "StandingProblem")),
        (
            "Fix",
            object(
                "A position",
                ["latitude": number("Degrees"), "longitude": number("Degrees"), "timestamp": time("When it was")],
                optional: ["accuracy": number("Radius in meters, 68 %")])
        ),
    ]
}
