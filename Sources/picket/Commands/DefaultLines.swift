import Model
import Service

/// Lines for people with the values that hold for a device or that a group has, and where each comes from.
struct DefaultLines {
    private(set) var lines: [String] = []

    /// The values that hold for a device.
    init(_ device: Device) {
        let (own, inherited) = (device.own, device.inherited)
        lines.append("policy \(DeviceCommands.policy(device))" + Self.origin(own.policy, inherited.policy))
        lines.append(
            Self.silence(device.silentAfter) + Self.origin(own.silentAfter, inherited.silentAfter))
        if let keeping = device.keepPositions {
            lines.append(Self.keeping(keeping) + Self.origin(own.keepPositions, inherited.keepPositions))
        }
        if own.quietHours != nil || inherited.quietHours != nil {
            lines.append(Self.quiet(device.quietHours) + Self.origin(own.quietHours, inherited.quietHours))
        }
    }

    /// The values of a group.
    init(_ defaults: DeviceDefaults) {
        if let policy = defaults.policy { lines.append("policy \(Self.policy(policy))") }
        if let silence = defaults.silentAfter { lines.append(Self.silence(silence)) }
        if let keeping = defaults.keepPositions { lines.append(Self.keeping(keeping)) }
        if let windows = defaults.quietHours { lines.append(Self.quiet(windows)) }
    }

    /// Where a value comes from; empty for the device's own and for the built-in one.
    private static func origin<Content>(_ own: Content?, _ inherited: InheritedDefaults.Value<Content>?) -> String {
        guard own == nil else { return ", its own" }
        switch inherited?.source {
        case nil: return ", by default"
        case .setting: return ", from the settings"
        case .group(let name): return ", from group '\(Format.printable(name))'"
        }
    }

    /// A policy by its name, or as JSON.
    static func policy(_ policy: PolicyOverride) -> String {
        if let base = policy.base, policy == PolicyOverride(base: base) { return base.rawValue }
        return policy.json?.description ?? "balanced"
    }

    private static func silence(_ seconds: Double) -> String { "silent after \(Language.english.duration(seconds))" }

    private static func keeping(_ seconds: Double) -> String {
        "positions are kept "
            + (seconds == 0 ? "not at all" : seconds.isFinite ? "for \(Language.english.duration(seconds))" : "for ever")
    }

    private static func quiet(_ windows: [WeeklyWindow]) -> String {
        windows.isEmpty ? "no quiet hours" : "quiet hours \(windows.map(\.text).joined(separator: "; "))"
    }
}
