/// The values that a device gets from its groups or from the settings, where it has none of its own.
public struct InheritedDefaults: Hashable, Sendable {
    /// Where a value comes from.
    public enum Source: Hashable, Sendable {
        /// The settings of the service, for all devices.
        case setting
        case group(String)
    }

    /// A value with its source.
    public struct Value<Content: Hashable & Sendable>: Hashable, Sendable {
        public var value: Content
        public var source: Source

        public init(_ value: Content, from source: Source) {
            self.value = value
            self.source = source
        }
    }

    public var silentAfter: Value<Double>?
    public var policy: Value<PolicyOverride>?
    public var keepPositions: Value<Double>?
    public var quietHours: Value<[WeeklyWindow]>?

    public init() {}

    /// What a device of these groups inherits. A value of a group goes before one of the settings.
    ///
    /// Of several groups, the shortest `silentAfter` and the shortest `keepPositions` hold. The other values come from the first group in
    /// alphabetical order that has one.
    ///
    /// - Parameters:
    ///   - groups: The device's groups, in any order.
    ///   - general: The values of the settings.
    ///   - ofGroups: The values of each group that has any.
    public init(groups: [String], general: DeviceDefaults, ofGroups: [String: DeviceDefaults]) {
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
}
