/// Reads the members of a JSON object by name. `finish()` refuses members that were not read, so that a misspelled name is not ignored.
///
/// `null` counts as missing.
public struct JSONFields {
    private let what: JSONObjectKind
    private let members: [JSONValue.Member]
    private var known: [String] = []

    /// - Parameters:
    ///   - json: The object.
    ///   - what: What the object is, for messages.
    /// - Throws: `Problem.validationFailed` when the value is not an object.
    public init(_ json: JSONValue, of what: JSONObjectKind) throws(Problem) {
        guard let members = json.members else {
            throw .validationFailed(
                field: "body", value: String(json.description.prefix(60)), reason: .notAnObject,
                expected: .objectOf(what))
        }
        self.what = what
        self.members = members
    }

    /// The value of a member; nil when it is missing.
    public mutating func value(_ name: String) -> JSONValue? {
        if !known.contains(name) { known.append(name) }
        guard let value = members.last(where: { $0.name == name })?.value, value != .null else { return nil }
        return value
    }

    /// A string; nil when it is missing.
    ///
    /// - Throws: `Problem.validationFailed` if the value is not a string.
    public mutating func text(_ name: String) throws(Problem) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else { throw invalidValue(name, value: value, reason: .notText, expected: .string) }
        return text
    }

    /// A finite number; nil when it is missing.
    public mutating func number(_ name: String) throws(Problem) -> Double? {
        guard let value = value(name) else { return nil }
        guard case .number = value, let number = value.double, number.isFinite else {
            throw invalidValue(name, value: value, reason: .notANumber, expected: .number)
        }
        return number
    }

    /// A whole number; nil when it is missing.
    ///
    /// - Throws: `Problem.validationFailed` if the value is not a whole number.
    public mutating func integer(_ name: String) throws(Problem) -> Int? {
        guard let number = try number(name) else { return nil }
        guard let whole = Int(exactly: number) else {
            throw invalidValue(name, value: JSONValue(number), reason: .notAWholeNumber, expected: .wholeNumber)
        }
        return whole
    }

    /// True or false; nil when it is missing.
    ///
    /// - Throws: `Problem.validationFailed` if the value is not a boolean.
    public mutating func flag(_ name: String) throws(Problem) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.bool else { throw invalidValue(name, value: value, reason: .notAFlag, expected: .trueOrFalse) }
        return flag
    }

    /// A moment in RFC 3339; a date alone is its first moment in UTC. Nil when it is missing.
    public mutating func instant(_ name: String) throws(Problem) -> Instant? {
        guard let text = try text(name) else { return nil }
        guard let instant = Instant(text) ?? Instant(text + "T00:00:00Z") else {
            throw invalidValue(name, value: .string(text), reason: .notATime, expected: .time)
        }
        return instant
    }

    /// A list of strings; empty when it is missing.
    public mutating func texts(_ name: String) throws(Problem) -> [String] {
        guard let value = value(name) else { return [] }
        guard let elements = value.array, elements.allSatisfy({ $0.string != nil }) else {
            throw invalidValue(name, value: value, reason: .notAList, expected: .listOfStrings)
        }
        return elements.compactMap(\.string)
    }

    /// A value of an enum, by its raw value; nil when it is missing.
    public mutating func oneOf<Value: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Value.Type
    ) throws(Problem) -> Value? where Value.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let value = Value(rawValue: text) else {
            throw invalidValue(
                name, value: .string(text), reason: .noSuchValue, expected: .oneOf(Value.allCases.map(\.rawValue)))
        }
        return value
    }

    /// Allows members that are not read.
    public mutating func allow(_ names: String...) { known += names }

    /// - Throws: `Problem.validationFailed` for a member that was neither read nor allowed.
    public func finish() throws(Problem) {
        guard let unknown = members.first(where: { !known.contains($0.name) }) else { return }
        throw .validationFailed(
            field: unknown.name, value: String(unknown.value.description.prefix(60)), reason: .noSuchFieldIn(what),
            expected: .oneOf(known))
    }

    private func invalidValue(_ name: String, value: JSONValue, reason: Phrase, expected: Phrase) -> Problem {
        .validationFailed(
            field: name, value: String((value.string ?? value.description).prefix(60)), reason: reason, expected: expected)
    }
}
