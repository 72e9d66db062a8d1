import Model

/// A repair's report as the store keeps it: in English, with the texts of the other languages beside it. Beside a text such as `message`,
/// `messageIn` has the texts of the other languages by language tag, as in `Phrase.members(named:)`.
package struct RepairRecord: Sendable {
    package let json: JSONValue

    /// The values of a problem. They contain every language themselves, and a report has them as they are.
    private static let parameters = "parameters"

    /// A record as the store has it.
    package init(json: JSONValue) { self.json = json }

    package init(_ report: RepairOutcome) {
        let others = Language.allCases.filter { $0 != .english }.map { ($0, report.json(in: $0)) }
        json = Self.joined(report.json(), others)
    }

    /// The report; see `RepairOutcome.json(in:)`.
    package func report(in language: Language) -> JSONValue { Self.read(json, in: language) }

    /// Adds to a report the texts of reports of the same shape in other languages.
    private static func joined(_ english: JSONValue, _ others: [(Language, JSONValue)]) -> JSONValue {
        if let items = english.array {
            return .array(
                items.enumerated().map { index, item in
                    joined(item, others.compactMap { language, json in json.array.map { (language, $0[index]) } })
                })
        }
        guard let members = english.members else { return english }
        return .object(
            members.flatMap { member -> [JSONValue.Member] in
                if member.name == parameters { return [member] }
                let values = others.compactMap { language, json in json[member.name].map { (language, $0) } }
                guard member.value.string != nil else { return [.init(member.name, joined(member.value, values))] }
                let texts = values.filter { $0.1 != member.value }.map { JSONValue.Member($0.0.rawValue, $0.1) }
                return texts.isEmpty ? [member] : [member, .init(member.name + "In", .object(texts))]
            })
    }

    private static func read(_ json: JSONValue, in language: Language) -> JSONValue {
        if let items = json.array { return .array(items.map { read($0, in: language) }) }
        guard let members = json.members else { return json }
        return .object(
            members.compactMap { member in
                if member.name == parameters { return member }
                if member.name.hasSuffix("In"), json[String(member.name.dropLast(2))]?.string != nil { return nil }
                guard member.value.string != nil else { return .init(member.name, read(member.value, in: language)) }
                return .init(member.name, json[member.name + "In"]?[language.rawValue] ?? member.value)
            })
    }
}
