import Geodesy
import Model
import Service
import ToolSupport

/// Prints an explanation, in the form of `Explanation.output`, for people.
struct ExplanationPrinter {
    private let invocation: Invocation
    private let output: Output
    /// The language of the explanation.
    private let language: Language
    private let zone: LocalTimeZone

    init(_ invocation: Invocation) {
        self.invocation = invocation
        output = invocation.output
        language = invocation.language
        zone = invocation.timeZone
    }

    private var words: any TerminalCatalog { language.terminal }

    func print(_ explanation: Answer) throws(Problem) {
        let headline = Format.printable(try explanation.text("answer"), atMost: 1000) + (try visits(explanation))
        output.print(Color.bold(headline, on: output))
        let steps = try explanation.list("steps")
        if !steps.isEmpty {
            var table = Table(words.columns, numeric: [2, 3, 4])
            for step in steps { table.add(try row(step)) }
            output.print()
            table.print(to: output)
        }
        let events = try explanation.list("events")
        if !events.isEmpty {
            output.print()
            for event in events {
                output.print(Format.line(try event.decoded(as: Event.shape), for: invocation, in: language))
            }
        }
        output.print()
        output.print(policy(explanation.json["policy"]?.members ?? []))
        for remark in explanation.json["remarks"]?.array ?? [] { output.print(remark.string ?? "") }
        for remedy in explanation.json["remedies"]?.array ?? [] {
            output.print(Format.printable(remedy["summary"]?.string ?? "", atMost: 1000))
            for (what, command) in [(words.remedyCommands.change, "command"), (words.remedyCommands.trial, "try")] {
                if let command = remedy[command]?.string { output.print("  \(what) \(Format.printable(command, atMost: 1000))") }
            }
        }
    }

    /// A sentence with the visit that contains the moment, or else with the visits before and after it.
    private func visits(_ explanation: Answer) throws(Problem) -> String {
        guard explanation.json["at"] != nil else { return "" }
        let at = try explanation.instant("at")
        func visit(_ name: String) throws(Problem) -> String? {
            guard explanation.json[name] != nil else { return nil }
            let visit: Visit = try explanation.object(name).decoded()
            // The answer already describes this visit's enter or exit.
            if visit.enteredAt == at || visit.exitedAt == at { return nil }
            let enter = Format.time(visit.enteredAt, beside: at, in: zone)
            let silence =
                visit.notSeenSince.map { ", " + words.notSeenSince(Format.time($0, beside: visit.enteredAt, in: zone)) } ?? ""
            return (visit.exitedAt.map { "\(enter)–\(Format.time($0, beside: visit.enteredAt, in: zone))" } ?? words.since(enter))
                + silence
        }
        if explanation.json["visit"] != nil { return try visit("visit").map { " " + words.thisVisit($0) } ?? "" }
        let (before, after) = (try visit("visitBefore"), try visit("visitAfter"))
        return before == nil && after == nil ? "" : " " + words.visits(before: before, after: after)
    }

    private func row(_ step: Answer) throws(Problem) -> [String] {
        func length(_ name: String) -> String { step.json[name]?.double.map(Format.length) ?? "" }
        let isFix = step.json["latitude"] != nil
        let place =
            isFix ? "\(Format.decimal(try step.number("latitude"), 6)), \(Format.decimal(try step.number("longitude"), 6))" : ""
        let distance = step.json["distance"]?.double.map { words.place(Format.length(abs($0)), isInside: $0 <= 0) } ?? ""
        let accuracy = length("accuracy")
        func known(_ member: String) -> String? {
            step.json[member]?.string.map { name in Explanation.State(rawValue: name).map(words.state) ?? name }
        }
        let (before, after) = (known("before"), known("after"))
        let state = before == after ? after ?? "" : "\(before ?? "–") → \(after ?? "–")"
        return [
            Format.time(try step.instant("timestamp"), in: zone), place, distance, accuracy.isEmpty ? "" : "±" + accuracy,
            length("counted"), step.json["reading"]?.string.map(words.reading) ?? "", state,
            Format.printable(try step.text("because"), atMost: 300),
        ]
    }

    /// The policy's numbers as text, such as "Policy: confirmFixes 1 (geofence); accuracyCap 50 m, maxAccuracy 250 m (store)".
    private func policy(_ numbers: [JSONValue.Member]) -> String {
        let parts = Explanation.PolicyParameter.Source.allCases.compactMap { source -> String? in
            let own = numbers.filter { $0.value["from"]?.string == source.rawValue }.map { member in
                let unit = member.value["unit"]?.string ?? ""
                let value = member.value["value"]?.double.map { Format.decimal($0, 1) + (unit.isEmpty ? "" : " " + unit) }
                return "\(member.name) \(value ?? words.unlimited)"
            }
            return own.isEmpty ? nil : "\(own.joined(separator: ", ")) (\(words.source(source)))"
        }
        return "\(words.policy): " + parts.joined(separator: "; ")
    }
}
