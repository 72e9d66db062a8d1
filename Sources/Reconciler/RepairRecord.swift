import Model

/// A repair's report as the store keeps it: in English, with the sentences of the other languages beside it.
package struct RepairRecord: Sendable {
    /// The English report with one more member, `translations`: for each language the sentences by their English ones.
    package let json: JSONValue

    /// The members of a report that are sentences. Names and codes are the same in every language.
    private static let sentences: Set<String> = ["statusSummary", "cause", "reason", "title", "message", "label"]
    private static let translations = "translations"

    /// A record as the store has it. A report of an earlier version has English sentences only.
    package init(json: JSONValue) { self.json = json }

    package init(_ report: RepairReport) {
        let english = report.json()
        let translations = Language.allCases.filter { $0 != .english }.map { language in
            var pairs: [String: String] = [:]
            Self.collect(english, report.json(in: language), into: &pairs)
            let members = pairs.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .string($0.value)) }
            return JSONValue.Member(language.rawValue, .object(members))
        }
        json = .object((english.members ?? []) + [.init(Self.translations, .object(translations))])
    }

    /// The report; see `RepairReport.json(in:)`.
    package func report(in language: Language) -> JSONValue {
        guard let members = json.members else { return json }
        let report = JSONValue.object(members.filter { $0.name != Self.translations })
        guard let pairs = json[Self.translations]?[language.rawValue] else { return report }
        return Self.replaced(report, by: pairs)
    }

    /// Finds the sentences of two reports of the same shape.
    private static func collect(_ english: JSONValue, _ other: JSONValue, into pairs: inout [String: String]) {
        if let items = english.array, let others = other.array {
            for (item, other) in zip(items, others) { collect(item, other, into: &pairs) }
        }
        for member in english.members ?? [] {
            guard let translated = other[member.name] else { continue }
            if sentences.contains(member.name), let text = member.value.string, let other = translated.string, text != other {
                pairs[text] = other
            }
            collect(member.value, translated, into: &pairs)
        }
    }

    private static func replaced(_ json: JSONValue, by pairs: JSONValue) -> JSONValue {
        switch json {
        case .array(let items): .array(items.map { replaced($0, by: pairs) })
        case .object(let members):
            .object(
                members.map { member in
                    if sentences.contains(member.name), let text = member.value.string {
                        return .init(member.name, pairs[text] ?? member.value)
                    }
                    return .init(member.name, replaced(member.value, by: pairs))
                })
        default: json
        }
    }
}
