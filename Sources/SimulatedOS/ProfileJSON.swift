import Model
import Registry

extension PlatformProfile {
    /// What distinguishes the profile from its platform's standard one, except the limit; nil for the standard one.
    package var variantJSON: JSONValue? {
        switch variant {
        case .standard: nil
        case .clmonitor: ["name": .string(variant.rawValue)]
        case .custom:
            .compact([
                ("name", .string(variant.rawValue)), ("largestRadius", largestRadius.map(JSONValue.init(_:))),
                ("exitCushion", JSONValue(exitBuffer)),
            ])
        }
    }

    /// Reads the output of `variantJSON`; nil if the value is malformed, or does not belong to the platform.
    package init?(_ platform: Device.Platform, limit: Int, variant json: JSONValue?) {
        switch json.map({ $0["name"]?.string.flatMap(Variant.init(rawValue:)) }) {
        case nil: self.init(platform)
        case .clmonitor? where platform == .ios: self = .clmonitor
        case .custom?:
            self = .custom(
                platform, limit: limit, largestRadius: json?["largestRadius"]?.double, exitBuffer: json?["exitCushion"]?.double)
        case .some: return nil
        }
        self.limit = limit
    }
}
