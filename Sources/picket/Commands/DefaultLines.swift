import Model
import Service

/// Lines for people with the values that apply to a device or that a group has.
struct DefaultLines {
    private(set) var lines: [String] = []

    /// The values that apply to a device, each with its source.
    init(_ device: Device) {
        let (own, inherited) = (device.own, device.inherited)
        lines = [
            Self.policyLine(device.policy) + Self.source(own.policy, inherited.policy),
            Self.silenceLine(device.silentAfter) + Self.source(own.silentAfter, inherited.silentAfter),
            Self.retentionLine(device.keepPositions ?? .infinity) + Self.source(own.keepPositions, inherited.keepPositions),
            Self.quietLine(device.quietHours) + Self.source(own.quietHours, inherited.quietHours),
        ]
    }

    /// The values of a group.
    init(_ defaults: DeviceDefaults) {
        lines = [
            defaults.policy.map(Self.policyLine), defaults.silentAfter.map(Self.silenceLine),
            defaults.keepPositions.map(Self.retentionLine), defaults.quietHours.map(Self.quietLine),
        ].compactMap(\.self)
    }

    /// A policy by its name, or as JSON.
    static func name(of policy: PolicyOverride) -> String {
        if let base = policy.base, policy == PolicyOverride(base: base) { return base.rawValue }
        return policy.json?.description ?? DecisionPolicy.Name.balanced.rawValue
    }

    private static func source<Content>(_ own: Content?, _ inherited: InheritedDefaults.Value<Content>?) -> String {
        if own != nil { return ", its own" }
        return switch inherited?.source {
        case nil: ", by default"
        case .setting: ", from the settings"
        case .group(let name): ", from the group '\(Format.printable(name))'"
        }
    }

    private static func policyLine(_ policy: PolicyOverride) -> String { "policy \(name(of: policy))" }

    private static func silenceLine(_ seconds: Double) -> String { "silent after \(Language.english.duration(seconds))" }

    private static func retentionLine(_ seconds: Double) -> String {
        "positions are kept "
            + (seconds == 0 ? "not at all" : seconds.isFinite ? "for \(Language.english.duration(seconds))" : "forever")
    }

    private static func quietLine(_ windows: [WeeklyWindow]) -> String {
        windows.isEmpty ? "no quiet hours" : "quiet hours \(windows.map(\.text).joined(separator: "; "))"
    }
}
