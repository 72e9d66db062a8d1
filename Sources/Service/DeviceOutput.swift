import Model

extension Device: JSONWritable {
    /// The fields that can be edited.
    package static let output = JSONOutput<Device>(
        "DeviceFields", summary: "The settings of a device",
        .init("id", optional: .text, summary: "1 to 128 characters", content: \.id),
        .init("name", optional: .text, summary: "The name for people", content: \.name),
        .init("groups", optional: .list(of: .text), summary: "The groups that it belongs to", content: \.groups),
        .init("policy", optional: .policy, content: \.policy.nonEmpty),
        .init("platform", optional: .word, summary: "The platform of its operating system", content: \.platform),
        .init("registry", optional: .word, summary: "Where its registrations are", content: \.registry),
        .init(
            "autoRepair", optional: .flag, summary: "Whether the service repairs its registrations automatically",
            content: \.autoRepair),
        .init(
            "inputTimeZone", optional: .text,
            summary: "The time zone of times that it sends without an offset from UTC; UTC when it is left out",
            content: \.inputTimeZone),
        .init(
            "silentAfter", optional: .number, summary: "Seconds without a report after which it is silent", content: \.silentAfter
        ),
        .init(
            "keepPositions", optional: .limit("forever"),
            summary: "Seconds for which its positions are kept; forever when an answer omits it",
            content: \.keepPositions),
        .init(
            "quietHours", optional: .list(of: .text),
            summary: "The times at which sinks get only emergencies of it, in the time zone of each sink, such as 22:00-06:00",
            content: { $0.hasQuietHours ? $0.quietHours.map(\.text) : nil }),
        .init(
            "inherited", optional: .anyObject,
            summary:
                "Those of silentAfter, policy, keepPositions and quietHours that are not its own: each with its value in 'value', and its "
                + "source in 'from': 'group' (with its name in 'group'), 'setting' or 'default'",
            content: { device in InheritedDefaults.json(of: device).members.flatMap { $0.isEmpty ? nil : $0 } }))

    package var json: JSONValue { json(in: AnswerLocale()) }
}
