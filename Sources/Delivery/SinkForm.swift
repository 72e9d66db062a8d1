import Model

/// A choice in the dashboard's form for new sinks: a kind, or a use of a kind that has its own title.
struct SinkForm: Sendable {
    /// An input for a member of the sink, or for a part of its URL.
    struct Field: Sendable {
        let name: String
        /// Shown while the input is empty.
        let example: String?
        /// The first content of the input.
        let value: String?
        let isRequired: Bool

        init(_ name: String, example: String? = nil, value: String? = nil, isRequired: Bool = false) {
            self.name = name
            self.example = example
            self.value = value
            self.isRequired = isRequired
        }
    }

    /// What such a sink does.
    let about: Phrase
    let fields: [Field]
    /// The fields that the URL consists of, with slashes in between; none if there is a field for the URL. The example replaces an empty
    /// field that is not required.
    let urlParts: [String]
    /// The member that distinguishes this use from others, and the title of sinks that have it; nil if the choice is the kind itself.
    let member: String?
    let title: Phrase?
    /// An example of the sink's id; nil for the name of the kind.
    let exampleID: String?

    init(
        _ about: Phrase, _ fields: [Field], urlParts: [String] = [], with member: String? = nil, title: Phrase? = nil,
        exampleID: String? = nil
    ) {
        self.about = about
        self.fields = fields
        self.urlParts = urlParts
        self.member = member
        self.title = title
        self.exampleID = exampleID
    }
}

extension SinkKind {
    /// What the dashboard knows about the kind. The texts are in English.
    package var formJSON: JSONValue {
        .object([
            .init("name", .string(rawValue)), .init("title", .string(title.description)),
            .init("placeMember", .string(placeMember)), .init("editable", .array(editable.map { SinkForm.Field($0).json })),
            .init("forms", .array(forms.map { $0.json(of: self) })),
        ])
    }

    /// The texts in `formJSON` of all kinds.
    package static var formTexts: [Phrase] {
        var texts = Array(SinkTarget.labels.values)
        for kind in allCases {
            texts.append(kind.title)
            for form in kind.forms { texts += [form.title ?? kind.title, form.about] }
        }
        return texts
    }
}

extension SinkForm {
    fileprivate func json(of kind: SinkKind) -> JSONValue {
        .compact([
            ("name", .string(member ?? kind.rawValue)), ("title", .string((title ?? kind.title).description)),
            ("about", .string(about.description)), ("member", member.map(JSONValue.string)),
            ("exampleId", .string(exampleID ?? kind.rawValue)), ("fields", .array(fields.map(\.json))),
            ("urlParts", .array(urlParts.map(JSONValue.string))),
        ])
    }
}

extension SinkForm.Field {
    fileprivate var json: JSONValue {
        .compact([
            ("name", .string(name)), ("label", .string(SinkTarget.labels[name]?.description ?? name)),
            ("isSecret", .bool(SinkTarget.secrets.contains { $0.name == name })), ("isRequired", .bool(isRequired)),
            ("example", example.map(JSONValue.string)), ("value", value.map(JSONValue.string)),
        ])
    }
}
