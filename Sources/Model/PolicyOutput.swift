extension PolicyOverride: JSONWritable {
    package static let output = JSONOutput<PolicyOverride>(
        "PolicyFields", summary: "Single fields over a policy: lengths in meters, times in seconds",
        .init("base", optional: .word, summary: "The policy that has the other fields", content: \.base),
        .init(
            "accuracyCap", optional: .limit("none"), summary: "Maximum accuracy radius used",
            content: \.accuracyCap),
        .init("maxAccuracy", optional: .limit("none"), summary: "Coarser positions decide nothing", content: \.maxAccuracy),
        .init(
            "exitMargin", optional: .limit("none"), summary: "The distance from the boundary from which a position is outside",
            content: \.exitMargin),
        .init(
            "confirmFixes", optional: .whole, summary: "The positions that confirm a change, 1 to 100", content: \.confirmFixes),
        .init("confirmSeconds", optional: .limit("none"), summary: "The time that confirms a change", content: \.confirmSeconds),
        .init(
            "maxSpeed", optional: .limit("none"), summary: "Faster positions are not believed; meters per second",
            content: \.maxSpeed),
        .init(
            "crossing", optional: .limit("none"), summary: "The longest time between two positions whose path is followed",
            content: \.crossing),
        .init(
            "stay", optional: .limit("none"),
            summary: "The distance from a place of stay, in standard deviations, within which positions do not count as moved",
            content: \.stay))

    /// The override; nil when it is empty.
    package var nonEmpty: PolicyOverride? { isEmpty ? nil : self }

    /// A policy by its name, or as JSON.
    package var nameOrJSON: String {
        if let base, self == PolicyOverride(base: base) { return base.rawValue }
        return json?.description ?? DecisionPolicy.Name.balanced.rawValue
    }
}

extension JSONKind<PolicyOverride> {
    /// Requests may also name a policy.
    package static var policy: Self { .object(named: "Policy", of: PolicyOverride.output) }
}
