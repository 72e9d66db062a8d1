import Client
import Core
import History
import Model
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

    private func text(_ phrase: Phrase) -> String { phrase.text(in: language) }

    func print(_ explanation: Answer) throws(Problem) {
        let headline = Format.printable(try explanation.text("answer"), atMost: 1000) + (try visits(explanation))
        output.print(Color.bold(headline, on: output))
        let steps = try explanation.list("steps")
        if !steps.isEmpty {
            let columns = [
                Phrase("TIME"), Phrase("PLACE"), Phrase("BOUNDARY"), Phrase("ACCURACY"), Phrase("COUNTED"), Phrase("SAYS"),
                Phrase("STATE"), Phrase("BECAUSE"),
            ]
            var table = Table(columns.map(text), numeric: [2, 3, 4])
            for step in steps { table.add(try row(step)) }
            output.print()
            table.print(to: output)
        }
        let events = try explanation.list("events")
        if !events.isEmpty {
            output.print()
            for event in events {
                output.print(Format.line(try event.decoded(as: Event.shape), for: invocation))
            }
        }
        output.print()
        output.print(policy(explanation.json["policy"]?.members ?? []))
        for remark in explanation.json["remarks"]?.array ?? [] { output.print(remark.string ?? "") }
        for remedy in explanation.json["remedies"]?.array ?? [] {
            output.print(Format.printable(remedy["summary"]?.string ?? "", atMost: 1000))
            for (what, command) in [(Phrase("To change it:"), "command"), (Phrase("To try it on the past first:"), "try")] {
                if let command = remedy[command]?.string {
                    output.print("  \(text(what)) \(Format.printable(command, atMost: 1000))")
                }
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
                visit.notSeenSince.map {
                    ", " + text(Phrase("not seen since \(Format.time($0, beside: visit.enteredAt, in: zone))"))
                } ?? ""
            let exit = visit.exitedAt.map { Format.time($0, beside: visit.enteredAt, in: zone) }
            return (exit.map { "\(enter)–\($0)" } ?? text(Phrase("from \(enter), still open"))) + silence
        }
        if explanation.json["visit"] != nil { return try visit("visit").map { text(Phrase(" This visit: \($0).")) } ?? "" }
        return switch (try visit("visitBefore"), try visit("visitAfter")) {
        case (let before?, let after?):
            text(Phrase(" Last visit \(before), next visit \(after); use --at to ask about them."))
        case (let before?, nil): text(Phrase(" Last visit \(before); use --at to ask about it."))
        case (nil, let after?): text(Phrase(" Next visit \(after); use --at to ask about it."))
        case (nil, nil): ""
        }
    }

    private func row(_ step: Answer) throws(Problem) -> [String] {
        func length(_ name: String) -> String { step.json[name]?.double.map { text(Phrase("\(length: $0)")) } ?? "" }
        let isFix = step.json["latitude"] != nil
        let place =
            isFix ? "\(Format.decimal(try step.number("latitude"), 6)), \(Format.decimal(try step.number("longitude"), 6))" : ""
        let distance =
            step.json["distance"]?.double.map { distance in
                text(distance <= 0 ? Phrase("\(length: abs(distance)) in") : Phrase("\(length: abs(distance)) out"))
            } ?? ""
        let accuracy = length("accuracy")
        func known(_ member: String) -> String? {
            step.json[member]?.string.map { name in Explanation.State(rawValue: name).map { text($0.phrase) } ?? name }
        }
        let (before, after) = (known("before"), known("after"))
        let state = before == after ? after ?? "" : "\(before ?? "–") → \(after ?? "–")"
        return [
            Format.time(try step.instant("timestamp"), in: zone), place, distance, accuracy.isEmpty ? "" : "±" + accuracy,
            length("counted"), step.json["reading"]?.string.map { text(Self.reading($0)) } ?? "", state,
            Format.printable(try step.text("because"), atMost: 300),
        ]
    }

    /// The result of a single fix.
    ///
    /// - Parameter name: The raw value of a `Measurement.Reading`.
    private static func reading(_ name: String) -> Phrase {
        switch name {
        case "inside": Phrase("inside")
        case "outside": Phrase("outside")
        case "band": Phrase("near the boundary")
        case "coarse": Phrase("too coarse")
        default: .verbatim(name)
        }
    }

    /// Numbers of the policy with their source.
    private static func numbers(_ text: String, from source: Explanation.PolicyParameter.Source) -> Phrase {
        switch source {
        case .geofence: Phrase("\(text) (geofence)")
        case .device: Phrase("\(text) (device)")
        case .store: Phrase("\(text) (store)")
        }
    }

    /// The policy's numbers as text, such as "Policy: confirmFixes 1 (geofence); accuracyCap 50 m, maxAccuracy 250 m (store)".
    private func policy(_ numbers: [JSONValue.Member]) -> String {
        let parts = Explanation.PolicyParameter.Source.allCases.compactMap { source -> String? in
            let own = numbers.filter { $0.value["from"]?.string == source.rawValue }.map { member in
                let unit = member.value["unit"]?.string ?? ""
                let value = member.value["value"]?.double.map { Format.decimal($0, 1) + (unit.isEmpty ? "" : " " + unit) }
                return "\(member.name) \(value ?? text(Phrase("none")))"
            }
            return own.isEmpty ? nil : text(Self.numbers(own.joined(separator: ", "), from: source))
        }
        return text(Phrase("Policy")) + ": " + parts.joined(separator: "; ")
    }
}
