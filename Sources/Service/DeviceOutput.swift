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
            "silentAfter", optional: .number, summary: "Seconds without a report after which it is silent", content: \.silentAfter
        ),
        .init(
            "keepPositions", optional: .limit("forever"),
            summary: "Seconds for which its positions are kept; the setting of the service applies when omitted",
            content: \.keepPositions))

    package var json: JSONValue { json(in: AnswerLocale()) }
}
