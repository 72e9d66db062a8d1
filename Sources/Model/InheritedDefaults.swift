/// The values that a device gets from its groups or from the settings.
package struct InheritedDefaults: Hashable, Sendable {
    /// Where a value comes from.
    package enum Source: Hashable, Sendable {
        /// The settings of the service, for all devices.
        case setting
        case group(String)
    }

    /// A value with its source.
    package struct Value<Content: Hashable & Sendable>: Hashable, Sendable {
        package var value: Content
        package var source: Source

        package init(_ value: Content, from source: Source) {
            self.value = value
            self.source = source
        }
    }

    package var silentAfter: Value<Double>?
    package var policy: Value<PolicyOverride>?
    package var keepPositions: Value<Double>?
    package var quietHours: Value<[WeeklyWindow]>?

    package init() {}

    /// The values that a device of these groups inherits. A value of a group takes precedence over one of the settings.
    ///
    /// Of several groups, the shortest `silentAfter` and the shortest `keepPositions` apply. The policy and the quiet hours are those of the
    /// first group, by name, that has them.
    ///
    /// - Parameters:
    ///   - groups: The device's groups, in any order.
    ///   - general: The values of the settings.
    ///   - ofGroups: The values of each group that has any.
    package init(groups: [String], general: DeviceDefaults, ofGroups: [String: DeviceDefaults]) {
        let known = Set(groups).sorted().compactMap { name in ofGroups[name].map { (name, $0) } }
        func first<Content>(_ value: (DeviceDefaults) -> Content?) -> Value<Content>? {
            for (name, defaults) in known { if let found = value(defaults) { return Value(found, from: .group(name)) } }
            return value(general).map { Value($0, from: .setting) }
        }
        func shortest(_ value: (DeviceDefaults) -> Double?) -> Value<Double>? {
            let found = known.compactMap { name, defaults in value(defaults).map { Value($0, from: .group(name)) } }
            return found.min { $0.value < $1.value } ?? value(general).map { Value($0, from: .setting) }
        }
        silentAfter = shortest(\.silentAfter)
        keepPositions = shortest(\.keepPositions)
        policy = first(\.policy)
        quietHours = first(\.quietHours)
    }

    /// The values without their sources.
    var values: DeviceDefaults {
        DeviceDefaults(
            silentAfter: silentAfter?.value, policy: policy?.value, keepPositions: keepPositions?.value,
            quietHours: quietHours?.value)
    }
}
