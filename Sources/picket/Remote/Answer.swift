import Model
import Service

/// The JSON answer of a service, with typed access to its members. Each accessor throws `Problem.decodingFailed` when the member is missing
/// or has another type.
struct Answer {
    let json: JSONValue
    /// The name of the service, for messages.
    let source: String

    init(_ json: JSONValue, source: String) {
        self.json = json
        self.source = source
    }

    private func lacks(_ name: String, _ what: String) -> Problem {
        .decodingFailed(
            source: source, line: nil,
            reason: .answerLacks(what, name))
    }

    /// The answer as a value.
    func decoded<Value: JSONDescribed>(as type: Value.Type = Value.self) throws(Problem) -> Value {
        do throws(JSONMismatch) {
            return try Value.shape.decode(json)
        } catch {
            throw lacks(error.member, error.expected)
        }
    }

    func text(_ name: String) throws(Problem) -> String {
        guard let text = json[name]?.string else { throw lacks(name, "text") }
        return text
    }

    func reason(_ name: String) throws(Problem) -> Reason {
        guard let reason = Reason(json, named: name) else { throw lacks(name, "text") }
        return reason
    }

    func whole(_ name: String) throws(Problem) -> Int {
        guard let number = json[name]?.double.flatMap({ Int(exactly: $0) }) else { throw lacks(name, "number") }
        return number
    }

    func number(_ name: String) throws(Problem) -> Double {
        guard let number = json[name]?.double else { throw lacks(name, "number") }
        return number
    }

    func flag(_ name: String) throws(Problem) -> Bool {
        guard let flag = json[name]?.bool else { throw lacks(name, "true or false as") }
        return flag
    }

    func instant(_ name: String) throws(Problem) -> Instant {
        guard let time = try knownInstant(name) else { throw lacks(name, "time") }
        return time
    }

    /// A time; nil when the member is missing.
    func knownInstant(_ name: String) throws(Problem) -> Instant? {
        guard let text = json[name]?.string else { return nil }
        guard let time = Instant(text) else { throw lacks(name, "time") }
        return time
    }

    /// A member that is the raw value of an enum.
    func word<Word: RawRepresentable>(_ name: String) throws(Problem) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: try text(name)) else { throw lacks(name, "known word") }
        return word
    }

    /// The elements of a list.
    func list(_ name: String) throws(Problem) -> [Answer] {
        guard let elements = json[name]?.array else { throw lacks(name, "list") }
        return elements.map { Answer($0, source: source) }
    }

    /// A member that is an object.
    func object(_ name: String) throws(Problem) -> Answer {
        guard let value = json[name], value.members != nil else { throw lacks(name, "object") }
        return Answer(value, source: source)
    }
}
