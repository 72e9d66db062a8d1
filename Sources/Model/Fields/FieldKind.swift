/// Describes how contents of one kind are written, read, stored and given on the command line, for the fields of entities.
package struct FieldKind<Content: Equatable & Sendable>: Sendable {
    /// The encoder and the schema.
    let json: JSONKind<Content>
    /// Reads a member; nil when it is missing.
    let read: @Sendable (inout JSONFields, _ name: String) throws(Problem) -> Content?
    /// The content of an option's text.
    let parse: @Sendable (_ text: String, _ option: String) throws(Problem) -> Content
    /// What is wrong with a content of the field with a name; nil when it is valid.
    let flaw: @Sendable (Content, _ field: String) -> Problem?
    /// The value in the store. Kinds of fields that have no column leave this and `restore` out.
    let store: @Sendable (Content) -> StoredValue
    /// Returns nil for a value that `store` does not return.
    let restore: @Sendable (StoredValue) -> Content?
    /// The allowed texts of an option, if they are few.
    let choices: [String]
    /// What the schema adds to the description of a field, such as `; seconds`.
    let unit: String

    package init(
        json: JSONKind<Content>, choices: [String] = [], unit: String = "",
        read: @escaping @Sendable (inout JSONFields, String) throws(Problem) -> Content?,
        parse: @escaping @Sendable (String, String) throws(Problem) -> Content,
        flaw: @escaping @Sendable (Content, String) -> Problem? = { _, _ in nil },
        store: @escaping @Sendable (Content) -> StoredValue = { _ in .null },
        restore: @escaping @Sendable (StoredValue) -> Content? = { _ in nil }
    ) {
        self.json = json
        self.choices = choices
        self.unit = unit
        self.read = read
        self.parse = parse
        self.flaw = flaw
        self.store = store
        self.restore = restore
    }
}

extension FieldKind where Content == String {
    /// A text as it is.
    package static var text: Self {
        .init(
            json: .text, read: { (fields, name) throws(Problem) in try fields.text(name) }, parse: { text, _ in text },
            store: { .text($0) }, restore: { $0.text })
    }

    /// A text in Unicode's normal form C.
    ///
    /// - Parameter flaw: Returns what is wrong with a text.
    static func normalized(_ flaw: @escaping @Sendable (_ text: String, _ field: String) -> Problem?) -> Self {
        .init(
            json: .text, read: { (fields, name) throws(Problem) in try fields.text(name)?.inNormalForm },
            parse: { text, _ in text.inNormalForm }, flaw: flaw, store: { .text($0.inNormalForm) }, restore: { $0.text })
    }

    /// The id of a device.
    package static var deviceID: Self {
        .normalized { id, field in
            Identifier.flaw(inDevice: id).map {
                .validationFailed(field: field, value: id, reason: $0, expected: .deviceID)
            }
        }
    }

    /// A name for people.
    package static var name: Self { .normalized { Identifier.flaw(inNames: [$0], field: $1) } }
}

extension FieldKind where Content == [String] {
    /// Texts, which commas or line breaks separate in an option. An empty list is stored as NULL.
    package static var texts: Self {
        .init(
            json: .list(of: .text),
            read: { (fields, name) throws(Problem) in fields.value(name) == nil ? nil : try fields.texts(name) },
            parse: { text, _ in text == "none" ? [] : text.elements },
            store: { $0.isEmpty ? .null : .text(JSONValue.array($0.map(JSONValue.string)).description) },
            restore: { value in value == .null ? [] : value.json?.array?.compactMap(\.string) })
    }

    /// Names in Unicode's normal form C.
    ///
    /// - Parameter flaw: Returns what is wrong with names.
    package static func names(_ flaw: @escaping @Sendable ([String], String) -> Problem? = { _, _ in nil }) -> Self {
        let texts = Self.texts
        return .init(
            json: texts.json,
            read: { (fields, name) throws(Problem) in try texts.read(&fields, name)?.map(\.inNormalForm) },
            parse: { (text, option) throws(Problem) in try texts.parse(text, option).map(\.inNormalForm) }, flaw: flaw,
            store: { texts.store($0.map(\.inNormalForm)) }, restore: texts.restore)
    }

    /// Names for people, such as those of groups.
    static var nameList: Self { names { Identifier.flaw(inNames: $0, field: $1) } }
}

extension FieldKind {
    /// A value that is written as one text.
    ///
    /// - Parameters:
    ///   - value: Returns nil for a text that is not such a value.
    ///   - reason: What is wrong with such a text.
    package static func written(
        as json: JSONKind<String>, choices: [String] = [], text: @escaping @Sendable (Content) -> String,
        value: @escaping @Sendable (String) -> Content?, reason: Phrase, expected: Phrase
    ) -> Self {
        @Sendable func parse(_ text: String, _ field: String) throws(Problem) -> Content {
            if let value = value(text) { return value }
            throw .validationFailed(field: field, value: text, reason: reason, expected: expected)
        }
        return .init(
            json: json.of(text, value), choices: choices,
            read: { (fields, name) throws(Problem) in
                try fields.text(name).map { text throws(Problem) in try parse(text, name) }
            }, parse: parse, store: { .text(text($0)) }, restore: { $0.text.flatMap(value) })
    }
}

extension FieldKind where Content: RawRepresentable & CaseIterable, Content.RawValue == String {
    /// A raw value of an enum.
    package static var word: Self {
        let words = Content.allCases.map(\.rawValue)
        return .written(
            as: .oneOf(words), choices: words, text: { $0.rawValue }, value: { Content(rawValue: $0) }, reason: .noSuchValue,
            expected: .oneOf(words))
    }
}

extension FieldKind<Instant> {
    /// A moment in RFC 3339.
    package static var time: Self {
        .init(
            json: .time, read: { (fields, name) throws(Problem) in try fields.instant(name) },
            parse: { (text, option) throws(Problem) in
                if let moment = Instant(text) { return moment }
                throw .validationFailed(field: option, value: text, reason: .notATime, expected: .time)
            }, store: { .integer($0.milliseconds) },
            restore: { $0.number.flatMap { Int64(exactly: $0) }.map { Instant(milliseconds: $0) } })
    }
}

extension FieldKind<TimeOfDay> {
    /// A time such as `08:15`.
    package static var timeOfDay: Self {
        .written(
            as: .text, text: \.description, value: { TimeOfDay($0) }, reason: .notATimeOfDay, expected: .timeOfDay)
    }
}

extension FieldKind where Content == Bool {
    /// True or false.
    ///
    /// - Parameters:
    ///   - yes: The text in an option for true.
    ///   - no: The text for false.
    package static func flag(_ yes: String, _ no: String) -> Self {
        .init(
            json: .flag, choices: [yes, no], read: { (fields, name) throws(Problem) in try fields.flag(name) },
            parse: { (text, option) throws(Problem) in
                if text == yes || text == no { return text == yes }
                throw .validationFailed(field: option, value: text, reason: .noSuchValue, expected: .oneOf([yes, no]))
            }, store: { .integer($0 ? 1 : 0) }, restore: { $0.number.map { $0 != 0 } })
    }
}

extension FieldKind where Content == Int {
    /// A whole number.
    ///
    /// - Parameter range: The allowed numbers in an option.
    package static func whole(_ range: ClosedRange<Int>) -> Self {
        .init(
            json: .whole, read: { (fields, name) throws(Problem) in try fields.integer(name) },
            parse: { (text, option) throws(Problem) in
                if let number = Int(text), range.contains(number) { return number }
                throw .validationFailed(
                    field: option, value: text, reason: Int(text) == nil ? .notAWholeNumber : .outOfRange,
                    expected: .wholeNumberIn(range.lowerBound, range.upperBound))
            },
            store: { .integer(Int64($0)) }, restore: { $0.number.flatMap { Int(exactly: $0) } })
    }
}

extension FieldKind where Content == Double {
    /// A length of time in seconds.
    ///
    /// - Parameters:
    ///   - range: The allowed seconds.
    ///   - alternative: What else is allowed, for messages, if the time may also be infinite, which is written as `forever`.
    ///   - acceptsBareSeconds: Whether an option may have a number without a unit.
    package static func seconds(
        _ range: ClosedRange<Double>, or alternative: Phrase? = nil, acceptsBareSeconds: Bool = false
    ) -> Self {
        let isLimit = alternative != nil
        return .init(
            json: isLimit ? .limit("forever") : .number, unit: "; seconds",
            read: { (fields, name) throws(Problem) in
                isLimit && fields.value(name)?.string == "forever" ? .infinity : try fields.number(name)
            },
            parse: { (text, option) throws(Problem) in
                if isLimit, text == "forever" { return .infinity }
                return try TimeSpan.seconds(
                    text, field: option, in: range, acceptsBareSeconds: acceptsBareSeconds, or: alternative)
            },
            flaw: { seconds, field in
                isLimit && seconds == .infinity ? nil : TimeSpan.flaw(in: seconds, field: field, range: range, or: alternative)
            }, store: { .real($0) }, restore: { $0.number })
    }
}

extension FieldKind<PolicyOverride> {
    /// An empty policy is stored as NULL.
    package static var policy: Self {
        .init(
            json: .policy, choices: DecisionPolicy.Name.allCases.map(\.rawValue) + ["none"],
            read: { (fields, name) throws(Problem) in
                try fields.value(name).map { json throws(Problem) in try PolicyOverride(json: json) }
            },
            parse: { (text, option) throws(Problem) in try PolicyOverride(text, field: option) },
            store: { $0.json.map { .text($0.description) } ?? .null },
            restore: { value in value == .null ? PolicyOverride() : value.json.flatMap { try? PolicyOverride(json: $0) } })
    }
}

extension FieldKind<Geofence.Triggers> {
    /// A list of names; stored as a number.
    static var triggers: Self {
        let texts = FieldKind<[String]>.texts
        let known = Geofence.Triggers.named
        @Sendable func triggers(_ names: [String], _ field: String) throws(Problem) -> Geofence.Triggers {
            var triggers: Geofence.Triggers = []
            for name in names {
                guard let trigger = known.first(where: { $0.name == name })?.trigger else {
                    throw .validationFailed(
                        field: field, value: name, reason: .noSuchTrigger, expected: .oneOf(known.map(\.name)))
                }
                triggers.insert(trigger)
            }
            return triggers
        }
        return .init(
            json: JSONKind<[String]>.list(of: .oneOf(known.map(\.name))).of({ $0.names }, { try? triggers($0, "") }),
            read: { (fields, name) throws(Problem) in
                try texts.read(&fields, name).map { names throws(Problem) in try triggers(names, name) }
            },
            parse: { (text, option) throws(Problem) in try triggers(texts.parse(text, option), option) },
            store: { .integer(Int64($0.rawValue)) },
            restore: { $0.number.map { Geofence.Triggers(rawValue: UInt8(truncatingIfNeeded: Int64($0))) } })
    }
}

extension FieldKind where Content == [JSONValue.Member] {
    /// An object with any members. An empty one is stored as NULL.
    static var anyObject: Self {
        .init(
            json: .anyObject,
            read: { (fields, name) throws(Problem) in
                guard let value = fields.value(name) else { return nil }
                if let members = value.members { return members }
                throw .validationFailed(
                    field: name, value: String(value.description.prefix(60)), reason: .notAnObject, expected: .object)
            },
            parse: { (text, option) throws(Problem) in
                throw .validationFailed(field: option, value: text, reason: .notAnObject, expected: .object)
            },
            store: { $0.isEmpty ? .null : .text(JSONValue.object($0).description) },
            restore: { $0 == .null ? [] : $0.json?.members })
    }
}

extension FieldKind where Content == [WeeklyWindow] {
    /// Time windows, which semicolons separate in an option; `never` for none.
    package static var windows: Self {
        .init(
            json: JSONKind<[String]>.list(of: .text).of({ $0.map(\.text) }, { try? WeeklyWindow.list($0, field: "") }),
            read: { (fields, name) throws(Problem) in
                fields.value(name) == nil ? nil : try WeeklyWindow.list(fields.texts(name), field: name)
            },
            parse: { (text, option) throws(Problem) in
                ["never", "none"].contains(text) ? [] : try WeeklyWindow.list(text, field: option)
            },
            store: { .text(JSONValue.array($0.map { .string($0.text) }).description) },
            restore: { value in
                (value.json?.array?.compactMap(\.string)).flatMap { try? WeeklyWindow.list($0, field: "") }
            })
    }
}

extension FieldKind {
    /// A list of contents of a kind, which commas or line breaks separate in an option. `none` is the empty list.
    ///
    /// - Parameter flaw: Returns what is wrong with a list.
    package static func list<Element>(
        of kind: FieldKind<Element>, flaw: @escaping @Sendable (Content, String) -> Problem? = { _, _ in nil }
    ) -> Self where Content == [Element] {
        let texts = FieldKind<[String]>.texts
        @Sendable func elements(_ texts: [String], _ field: String) throws(Problem) -> [Element] {
            try texts.map { text throws(Problem) in try kind.parse(text, field) }
        }
        return .init(
            json: .list(of: kind.json),
            read: { (fields, name) throws(Problem) in
                try texts.read(&fields, name).map { texts throws(Problem) in try elements(texts, name) }
            },
            parse: { (text, option) throws(Problem) in try elements(texts.parse(text, option), option) }, flaw: flaw)
    }

    /// An object, which an option gives in its own text.
    ///
    /// - Parameters:
    ///   - decode: Reads the object.
    ///   - parse: Reads the text of an option.
    package static func object(
        _ json: JSONKind<Content>, decode: @escaping @Sendable (JSONValue) throws(Problem) -> Content,
        parse: @escaping @Sendable (String, String) throws(Problem) -> Content
    ) -> Self {
        .init(
            json: json,
            read: { (fields, name) throws(Problem) in
                try fields.value(name).map { value throws(Problem) in try decode(value) }
            }, parse: parse)
    }
}

extension String {
    /// The parts between commas or line breaks, without spaces around them.
    fileprivate var elements: [String] {
        split { $0 == "," || $0 == "\n" }.map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
    }
}

extension StoredValue {
    /// The JSON in a text; nil for anything else.
    fileprivate var json: JSONValue? { text.flatMap { try? JSONParser.parse($0) } }
}
