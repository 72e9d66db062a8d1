import Model
import Registry
import SimulatedOS

/// A setting of a simulated phone, or a policy of its operating system, with the new value.
package enum SimulatedSetting: Hashable, Sendable {
    case preciseLocation(Bool)
    /// iOS only.
    case backgroundRefresh(Bool)
    /// Android only.
    case batteryOptimization(Bool)
    case rebootPolicy(PlatformProfile.RebootPolicy)
    case updatePolicy(PlatformProfile.UpdatePolicy)
    case permissionPolicy(PlatformProfile.PermissionPolicy)

    /// The names on the command line and in JSON.
    enum Name: String, CaseIterable {
        case precise, background, battery
        case rebootPolicy = "reboot-policy"
        case updatePolicy = "update-policy"
        case permissionPolicy = "permission-policy"
    }

    /// - Parameters:
    ///   - name: `precise`, `background`, `battery`, `reboot-policy`, `update-policy` or `permission-policy`.
    ///   - value: `on` or `off`, or the name of a policy.
    /// - Throws: `Problem.validationFailed` for an unknown name or value.
    package init(_ name: String, _ value: String) throws(Problem) {
        switch Name(rawValue: name) {
        case .precise: self = .preciseLocation(try Self.isOn(value, of: name))
        case .background: self = .backgroundRefresh(try Self.isOn(value, of: name))
        case .battery: self = .batteryOptimization(try Self.isOn(value, of: name))
        case .rebootPolicy: self = .rebootPolicy(try Self.policy(value, of: name))
        case .updatePolicy: self = .updatePolicy(try Self.policy(value, of: name))
        case .permissionPolicy: self = .permissionPolicy(try Self.policy(value, of: name))
        case nil:
            throw .validationFailed(
                field: "setting", value: name, reason: Phrase("there is no such setting"),
                expected: .oneOf(Name.allCases.map(\.rawValue)))
        }
    }

    /// Reads `on` or `off`. Throws `Problem.validationFailed` otherwise.
    package static func isOn(_ value: String, of name: String) throws(Problem) -> Bool {
        switch value {
        case "on": return true
        case "off": return false
        default:
            throw .validationFailed(field: name, value: value, reason: .neither, expected: Phrase("on or off"))
        }
    }

    private static func policy<Policy: RawRepresentable & CaseIterable>(
        _ value: String, of name: String
    ) throws(Problem) -> Policy where Policy.RawValue == String {
        guard let policy = Policy(rawValue: value) else {
            throw .validationFailed(
                field: name, value: value, reason: .noSuchPolicy,
                expected: .oneOf(Policy.allCases.map(\.rawValue)))
        }
        return policy
    }

    /// Applies the setting to a phone.
    ///
    /// - Throws: `Problem.validationFailed` if the phone's platform does not support the setting or the policy.
    func apply(to phone: inout SimulatedOS) throws(Problem) {
        let profile = phone.profile
        switch self {
        case .preciseLocation(let isOn): phone.setPreciseLocation(isOn)
        case .backgroundRefresh(let isOn):
            try require(profile.platform == .ios, of: profile, .background, isOn ? "on" : "off")
            phone.setBackgroundRefresh(isOn)
        case .batteryOptimization(let isOn):
            try require(profile.platform == .android, of: profile, .battery, isOn ? "on" : "off")
            phone.setBatteryOptimized(isOn)
        case .rebootPolicy(let policy):
            try require(profile.reboot.contains(policy), of: profile, .rebootPolicy, policy.rawValue)
            phone.policies.reboot = policy
        case .updatePolicy(let policy):
            try require(profile.update.contains(policy), of: profile, .updatePolicy, policy.rawValue)
            phone.policies.update = policy
        case .permissionPolicy(let policy):
            try require(profile.permission.contains(policy), of: profile, .permissionPolicy, policy.rawValue)
            phone.policies.permission = policy
        }
    }

    private func require(_ isKnown: Bool, of profile: PlatformProfile, _ name: Name, _ value: String) throws(Problem) {
        if isKnown { return }
        throw .validationFailed(
            field: name.rawValue, value: value, reason: .noSuchWay(profile.name),
            expected: .settingOfPlatform)
    }
}
