import Client
import Core
import Foundation
import Model
import Places
import Service
import ToolSupport

/// The commands `picket rule …`.
enum RuleCommands {
    static let all = [add, list, show, edit, remove]

    private static let subjectOptions = [
        Option("--device", value: "ID", help: "The device"),
        Option("--group", value: "NAME", help: "Or a group; the rule applies to each of its devices separately"),
        Option("--geofence", value: "ID", help: "The geofence"),
        Option("--label", value: "NAME", help: "Or a label; the rule applies to each geofence with it separately"),
    ]

    static let add = Command(
        name: "rule add", summary: "Report when a device does not arrive, does not leave, or leaves too early.",
        options: [Option("--id", value: "ID", help: "Id of the rule; default: derived from the rule")] + subjectOptions
            + RuleOptions.kinds
            + RuleOptions.otherOptions + [
                Option(
                    "--since", value: "TIME",
                    help: "Also evaluate the history since this time, for example for recorded tracks (now)"),
                Option("--inactive", "Keep the rule, but do not evaluate it"),
            ] + Option.client,
        discussion: """
            If what a rule expects does not happen, Picket records an event of type 'missed' and sends it to sinks like any other event.
            If late positions show that it did happen, the event is retracted. A window that does not end after its start ends on
            the next day. A rule whose device or geofence is removed is kept, and applies again when it exists again.
            """,
        examples: [
            "picket rule add --device mia --geofence school --enters-by 08:15 --from 06:00 --days mon-fri --timezone Europe/Berlin",
            "picket rule add --group kids --geofence playground --stays-at-most 2h",
            "picket rule add --group vans --label site --stays-at-most 2h",
            "picket rule add --device mia --geofence school --stays-until 13:00 --from 08:15 --days mon-fri --except "
                + "2026-12-24..2027-01-06",
        ]
    ) { invocation throws(Problem) in
        let given = try RuleOptions.members(invocation)
        let help = "picket rule add --help"
        func has(_ name: String) -> Bool { given.contains { $0.name == name } }
        if !has("kind") {
            throw .usage(
                reason: Phrase("A rule needs an expectation: --enters-by, --stays-at-most or --stays-until"), help: help)
        }
        if !has("deviceId"), !has("group") { throw .usage(reason: Phrase("A rule needs a --device or a --group"), help: help) }
        if !has("geofenceId"), !has("label") {
            throw .usage(reason: Phrase("A rule needs a --geofence or a --label"), help: help)
        }
        var members = given
        if let id = invocation.value("--id") { members.append(.init("id", .string(id))) }
        // The default is the reader's time zone.
        if !has("timeZone") { members.append(.init("timeZone", .string(SinkCommands.timeZone(invocation)))) }
        let service = try invocation.editor()
        let rule = try service.createRuleDocument(JSONValue.null.merged(with: .object(members)))
        let output = invocation.output
        if invocation.isJSON {
            output.print(rule.description)
            return .done
        }
        invocation.print(Phrase("Added rule \(text(rule, "id")): \(sentence(rule))."))
        if rule["waitsFor"] != nil { invocation.print(Phrase("State: \(state(rule))")) }
        if !service.isRunning {
            invocation.print(Phrase("Deadlines are watched while the service runs:  picket serve"))
        }
        return .done
    }

    static let list = Command(
        name: "rule list", summary: "List the rules.", options: Option.client,
        examples: ["picket rule list", "picket rule list --json"]
    ) { invocation throws(Problem) in
        let service = try invocation.reader()
        invocation.printList(
            try service.ruleDocuments(), json: \.self,
            ifEmpty: .emptyList(
                Phrase("No rules in \(service.location)."), hint: Phrase("Create one:"),
                command: "picket rule add --device ID --geofence ID --enters-by HH:MM"),
            headings: Phrase("ID|DEVICES|GEOFENCE|EXPECTED|DAYS|TIME ZONE|STATE")
        ) { rule in
            [
                text(rule, "id"), invocation.text(subject(rule)), invocation.text(geofences(rule)),
                invocation.text(expectation(rule)),
                invocation.text(days(rule)), text(rule, "timeZone"), invocation.text(state(rule)),
            ]
        }
        return .done
    }

    static let show = Command(
        name: "rule show", summary: "Show a rule.", arguments: "ID", count: 1...1, options: Option.client,
        examples: ["picket rule show mia-school-enters-by"]
    ) { invocation throws(Problem) in
        print(try invocation.reader().ruleDocument(id: invocation.words[0]), invocation)
        return .done
    }

    static let edit = Command(
        name: "rule edit", summary: "Change a rule. Its past events are kept.", arguments: "ID", count: 1...1,
        options: subjectOptions + RuleOptions.kinds + RuleOptions.otherOptions + [
            Option("--active", "Evaluate the rule"), Option("--inactive", "Keep the rule, but do not evaluate it"),
        ] + Option.client,
        discussion:
            "Other fields stay unchanged. --except replaces all earlier exceptions. The change applies from now on.",
        examples: [
            "picket rule edit mia-school-enters-by --enters-by 08:00",
            "picket rule edit mia-school-enters-by --except 2026-12-24..2027-01-06 --except 2027-02-15",
        ]
    ) { invocation throws(Problem) in
        let id = invocation.words[0]
        var changes = try RuleOptions.members(invocation)
        if changes.isEmpty {
            throw .usage(reason: .nothingNamed, help: "picket rule edit --help")
        }
        // A new group replaces the device, a new label the geofence, and the other way around.
        if invocation.has("--group"), !invocation.has("--device") { changes.append(.init("deviceId", .null)) }
        if invocation.has("--device"), !invocation.has("--group") { changes.append(.init("group", .null)) }
        if invocation.has("--label"), !invocation.has("--geofence") { changes.append(.init("geofenceId", .null)) }
        if invocation.has("--geofence"), !invocation.has("--label") { changes.append(.init("label", .null)) }
        let service = try invocation.editor()
        print(
            try service.saveRuleDocument(service.ruleDocument(id: id).merged(with: .object(changes)), id: id),
            invocation)
        return .done
    }

    static let remove = Command(
        name: "rule remove", summary: "Remove a rule. Its past events are kept.", arguments: "ID", count: 1...1,
        options: Option.client, examples: ["picket rule remove mia-school-enters-by"]
    ) { invocation throws(Problem) in
        let id = invocation.words[0]
        try invocation.editor().removePresenceRule(id: id)
        invocation.print(["removed": .string(id)], or: Phrase("Removed rule \(id)."))
        return .done
    }

    // MARK: - Words

    private static func text(_ json: JSONValue, _ name: String) -> String { Format.printable(json[name]?.string ?? "") }

    private static func subject(_ rule: JSONValue) -> Phrase {
        rule["deviceId"] != nil ? .verbatim(text(rule, "deviceId")) : Phrase("group \(text(rule, "group"))")
    }

    private static func geofences(_ rule: JSONValue) -> Phrase {
        rule["label"] == nil ? .verbatim(text(rule, "geofenceId")) : Phrase("geofences labeled \(text(rule, "label"))")
    }

    /// The expectation as text, such as "enters by 08:15 (from 06:00)".
    private static func expectation(_ rule: JSONValue) -> Phrase {
        var phrase: Phrase
        switch rule["kind"]?.string.flatMap(PresenceRule.Kind.init) {
        case .entersBy: phrase = Phrase("enters by \(text(rule, "by"))")
        case .staysUntil: phrase = Phrase("stays until \(text(rule, "until"))")
        case .staysAtMost: return Phrase("stays at most \(duration: rule["duration"]?.double ?? 0)")
        case nil: return .verbatim(Table.noValue)
        }
        if let start = rule["from"]?.string, start != "00:00" { phrase = Phrase("\(phrase) (from \(start))") }
        if let seconds = rule["minDuration"]?.double { phrase = Phrase("\(phrase), at least \(duration: seconds)") }
        return phrase
    }

    private static func days(_ rule: JSONValue) -> Phrase {
        let (days, except) = (text(rule, "days"), (rule["except"]?.array ?? []).count)
        if except == 0 { return .verbatim(days) }
        return Phrase(except, one: "\(days), \(except) exception", other: "\(days), \(except) exceptions")
    }

    private static func state(_ rule: JSONValue) -> Phrase {
        guard let waiting = rule["waitsFor"]?.string else { return Phrase("on") }
        switch Queries.RuleInactivityReason(rawValue: waiting) {
        case .inactive: return Phrase("off")
        case .noGeofence:
            return rule["label"] == nil
                ? Phrase("waits: geofence removed or off") : Phrase("waits: no active geofence with the label for its devices")
        case .noDevice:
            return rule["deviceId"] != nil ? Phrase("waits: device removed") : Phrase("waits: no device in the group")
        case .noTimeZone: return Phrase("waits: unknown time zone")
        case nil: return Phrase("waits")
        }
    }

    /// The rule as text, such as "mia at school: enters by 08:15 (from 06:00), mon-fri, Europe/Berlin".
    private static func sentence(_ rule: JSONValue) -> Phrase {
        Phrase(
            "\(subject(rule)) at \(geofences(rule)): \(expectation(rule)), \(days(rule)), \(text(rule, "timeZone"))")
    }

    private static func print(_ rule: JSONValue, _ invocation: Invocation) {
        let output = invocation.output
        if invocation.isJSON { return output.print(rule.description) }
        func line(_ label: Phrase, _ value: String) { output.print("  \(invocation.text(label).padding(9)) \(value)") }
        invocation.print(Phrase("\(text(rule, "id")): \(sentence(rule))"))
        if let grace = rule["grace"]?.double {
            output.print("  " + invocation.text(Phrase("evaluated \(duration: grace) later")))
        }
        let except = (rule["except"]?.array ?? []).compactMap(\.string)
        if !except.isEmpty { line(Phrase("except"), Format.printable(except.joined(separator: ", "), atMost: 2000)) }
        if let since = rule["since"]?.string.flatMap({ Instant($0) }) {
            line(Phrase("since"), Format.time(since, in: invocation.timeZone))
        }
        line(Phrase("state"), invocation.text(state(rule)))
    }
}
