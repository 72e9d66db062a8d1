import Model

/// The JSON answer of a service, with typed access to its members. Each accessor throws `Problem.decodingFailed` when the member is missing
/// or has another type.
package struct Answer {
    /// The answer itself.
    package let json: JSONValue
    /// The name of the service, for messages.
    let source: ProblemSubject

    /// - Parameter source: The name of the service, for messages.
    package init(_ json: JSONValue, source: ProblemSubject) {
        self.json = json
        self.source = source
    }

    func missingMember(_ name: String, expected what: JSONContent) -> Problem {
        .decodingFailed(
            source: source, line: nil,
            reason: .answerLacks(what, name))
    }

    /// The answer as a value.
    package func decoded<Value: JSONDescribed>(as type: Value.Type = Value.self) throws(Problem) -> Value {
        try decoded(as: Value.shape)
    }

    /// The answer as a value of a shape.
    package func decoded<Value>(as shape: JSONShape<Value>) throws(Problem) -> Value {
        do throws(JSONMismatch) {
            return try shape.decode(json)
        } catch {
            throw missingMember(error.member, expected: error.expected)
        }
    }

    /// A text.
    package func text(_ name: String) throws(Problem) -> String {
        guard let text = json[name]?.string else { throw missingMember(name, expected: .text) }
        return text
    }

    /// A whole number.
    func integer(_ name: String) throws(Problem) -> Int {
        guard let number = json[name]?.double.flatMap({ Int(exactly: $0) }) else { throw missingMember(name, expected: .number) }
        return number
    }

    /// A number.
    package func number(_ name: String) throws(Problem) -> Double {
        guard let number = json[name]?.double else { throw missingMember(name, expected: .number) }
        return number
    }

    /// A value that is true or false.
    package func flag(_ name: String) throws(Problem) -> Bool {
        guard let flag = json[name]?.bool else { throw missingMember(name, expected: .trueOrFalse) }
        return flag
    }

    /// A time.
    package func instant(_ name: String) throws(Problem) -> Instant {
        guard let time = try optionalInstant(name) else { throw missingMember(name, expected: .time) }
        return time
    }

    /// A time; nil when the member is missing.
    func optionalInstant(_ name: String) throws(Problem) -> Instant? {
        guard let text = json[name]?.string else { return nil }
        guard let time = Instant(text) else { throw missingMember(name, expected: .time) }
        return time
    }

    /// The elements of a list.
    package func list(_ name: String) throws(Problem) -> [Answer] {
        guard let elements = json[name]?.array else { throw missingMember(name, expected: .list) }
        return elements.map { Answer($0, source: source) }
    }

    /// The elements of a list, as values.
    func elements<Element>(_ name: String, as shape: JSONShape<Element>) throws(Problem) -> [Element] {
        try list(name).map { element throws(Problem) in try element.decoded(as: shape) }
    }

    /// A member that is an object.
    package func object(_ name: String) throws(Problem) -> Answer {
        guard let value = json[name], value.members != nil else { throw missingMember(name, expected: .object) }
        return Answer(value, source: source)
    }
}
