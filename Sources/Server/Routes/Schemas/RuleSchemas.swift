import Model
import Service

extension Schemas {
    private static let expectation: KeyValuePairs<String, JSONValue> = [
        "from": text("Of entersBy and staysUntil: when the window begins, as 06:00; midnight when left out"),
        "by": text("Of entersBy: the device is inside at some moment from 'from' to this time, as 08:15"),
        "grace": number("Of entersBy: seconds after 'by' until it is judged; 120 when left out"),
        "until": text("Of staysUntil: a device that was inside since 'from' does not leave before this time"),
        "duration": number("Of staysAtMost: it leaves within so many seconds"),
        "timeZone": text("Of its times and days, as Europe/Berlin; UTC when left out"),
    ]

    private static let rule: KeyValuePairs<String, JSONValue> = [
        "id": text("Its id; made of what it says when left out"), "deviceId": text("Whom it is about"),
        "group": text("Or the group whose devices it is about, each by itself"),
        "days": text("The days on which it holds, as mon-fri; all when left out"),
        "except": list("Days on which it does not hold, as 2026-12-24 or 2026-12-24..2027-01-06", of: ["type": "string"]),
        "isActive": flag("Whether it is judged; true when left out"),
        "since": time("Nothing before is judged: when it was made or changed, or what was asked for when it was made"),
        "waitsFor": oneOf(
            "In answers: why it is not judged now: it is switched off, or what it is about is not there; absent when it is judged",
            Queries.RuleInactivityReason.self),
    ]

    /// Schemas of presence rules.
    static let rules: [Named] = [
        (
            "Rule",
            object(
                "A rule", ["geofenceId": text("Where"), "kind": oneOf("What is expected", PresenceRule.Kind.self)],
                optional: expectation, more: rule)
        ),
        ("RuleList", object("The rules", ["rules": ["type": "array", "items": any("Rule")]])),
        (
            "MissedRule",
            object(
                "The rule of a missed event, as it was then",
                ["id": text("Which"), "kind": oneOf("What was expected", PresenceRule.Kind.self)], optional: expectation)
        ),
    ]
}
