import Foundation
import Model
import ToolSupport

/// Converts the options of `picket rule add` and `picket rule edit` to the JSON members of a rule.
enum RuleOptions {
    /// The options that choose the kind of a rule; at most one can be given.
    static let kinds: [Option] = [
        Option("--enters-by", value: "HH:MM", help: "The device is inside at some time between --from and this time"),
        Option(
            "--stays-at-most", value: "DURATION", help: "The device exits within this time after its enter, for example 2h or 45m"
        ),
        Option(
            "--stays-until", value: "HH:MM",
            help: "The device does not exit before this time, once it is inside at --from or later"),
    ]

    static let otherOptions: [Option] =
        [
            Option("--from", value: "HH:MM", help: "Start of the window of --enters-by or --stays-until (00:00)"),
            Option(
                "--grace", value: "DURATION",
                help: "For --enters-by: how much later it is evaluated, so that late positions can arrive (2m)"
            ),
        ] + FieldOptions.of(PresenceRule.fields)

    /// The members that the options give. Null removes a member.
    static func members(_ invocation: Invocation) throws(Problem) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: JSONValue?) { if let value { members.append(.init(name, value)) } }
        add("deviceId", invocation.value("--device").map(JSONValue.string))
        add("group", invocation.value("--group").map(JSONValue.string))
        add("geofenceId", invocation.value("--geofence").map(JSONValue.string))
        add("label", invocation.value("--label").map(JSONValue.string))
        members += try kind(invocation)
        if let text = invocation.value("--from") { add("from", .string(try time(text, "--from"))) }
        if let text = invocation.value("--grace") {
            add("grace", JSONValue(try TimeSpan.seconds(text, field: "--grace", in: 0...PresenceRule.maximumGrace)))
        }
        let any = PresenceRule(id: "", subject: .device(""), geofences: .label(""), expectation: .staysAtMost(0), since: .latest)
        members += try FieldOptions.members(changing: any, PresenceRule.fields, invocation)
        add("since", try invocation.instant("--since").map { JSONValue($0) })
        if invocation.has("--inactive") { add("isActive", false) }
        if invocation.has("--active") { add("isActive", true) }
        return members
    }

    /// `kind` and its members, and null for the members of the other kinds.
    private static func kind(_ invocation: Invocation) throws(Problem) -> [JSONValue.Member] {
        let given = kinds.map(\.name).filter { invocation.has($0) }
        guard let option = given.first, let text = invocation.value(option) else { return [] }
        if given.count > 1 {
            throw .usage(
                reason: Phrase("'\(given[0])' and '\(given[1])' cannot be combined: a rule has one expectation"),
                help: "picket \(invocation.command.name) --help")
        }
        func none(_ names: String...) -> [JSONValue.Member] { names.map { .init($0, .null) } }
        switch option {
        case "--enters-by":
            return [.init("kind", "entersBy"), .init("by", .string(try time(text, option)))] + none("until", "duration")
        case "--stays-until":
            return [.init("kind", "staysUntil"), .init("until", .string(try time(text, option)))]
                + none("by", "grace", "duration")
        default:
            let seconds = try TimeSpan.seconds(text, field: option, in: PresenceRule.allowedStays)
            return [.init("kind", "staysAtMost"), .init("duration", JSONValue(seconds))]
                + none("by", "until", "from", "grace", "minDuration")
        }
    }

    private static func time(_ text: String, _ option: String) throws(Problem) -> String {
        guard let time = TimeOfDay(text) else {
            throw .validationFailed(field: option, value: text, reason: .notATimeOfDay, expected: .timeOfDay)
        }
        return time.description
    }
}
