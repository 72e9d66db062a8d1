import Model
import Registry

/// The choice of a profile for a simulated phone. The phone's platform decides what it means.
package struct SimulatedProfile: Hashable, Sendable {
    /// The names of the values, for messages: the options of a command, or the members of JSON.
    package struct Names: Sendable {
        var profile: String
        var limit: String
        var largestRadius: String
        var exitBuffer: String

        package init(profile: String, limit: String, largestRadius: String, exitBuffer: String) {
            self.profile = profile
            self.limit = limit
            self.largestRadius = largestRadius
            self.exitBuffer = exitBuffer
        }

        static let json = Names(
            profile: "profile", limit: "limit", largestRadius: "largestRadius", exitBuffer: "exitCushion")
    }

    let variant: PlatformProfile.Variant
    /// The maximum number of regions; only of a custom profile.
    let limit: Int?
    /// Meters; only of a custom profile.
    let largestRadius: Double?
    /// Meters; only of a custom profile.
    let exitBuffer: Double?

    /// - Throws: `Problem.validationFailed` for a value out of range, a custom profile without a limit, and another profile with values of
    ///   a custom one.
    package init(
        _ variant: PlatformProfile.Variant, limit: Int? = nil, largestRadius: Double? = nil, exitBuffer: Double? = nil,
        names: Names = .json
    ) throws(Problem) {
        self.variant = variant
        self.limit = limit
        self.largestRadius = largestRadius
        self.exitBuffer = exitBuffer
        let (limits, radii, buffers) = (
            PlatformProfile.customLimits, PlatformProfile.customLargestRadii, PlatformProfile.customExitBuffers
        )
        let expectedLimit = Phrase.wholeNumberIn(limits.lowerBound, limits.upperBound)
        let given = [
            (names.limit, limit.map(Double.init), Double(limits.lowerBound)...Double(limits.upperBound), expectedLimit),
            (names.largestRadius, largestRadius, radii, .metersIn(Int(radii.lowerBound), Int(radii.upperBound))),
            (names.exitBuffer, exitBuffer, buffers, .metersIn(Int(buffers.lowerBound), Int(buffers.upperBound))),
        ]
        for (name, value, range, expected) in given {
            guard let value else { continue }
            if variant != .custom {
                throw .validationFailed(
                    field: names.profile, value: variant.rawValue, reason: .goTogether(name, "\(names.profile) custom"),
                    expected: .oneOf([PlatformProfile.Variant.custom.rawValue]))
            }
            if !range.contains(value) {
                throw .validationFailed(field: name, value: "\(value)", reason: .outOfRange, expected: expected)
            }
        }
        if variant == .custom, limit == nil {
            throw .missing(names.limit, expectedLimit)
        }
    }

    /// The profile of a phone with this platform.
    ///
    /// - Throws: `Problem.validationFailed` if the platform has no such variant.
    package func profile(on platform: Device.Platform, names: Names = .json) throws(Problem) -> PlatformProfile {
        switch (variant, platform) {
        case (.standard, _): return PlatformProfile(platform)
        case (.clmonitor, .ios): return .clmonitor
        case (.custom, _):
            return .custom(
                platform, limit: limit ?? PlatformProfile(platform).limit, largestRadius: largestRadius, exitBuffer: exitBuffer)
        case (.clmonitor, .android):
            throw .validationFailed(
                field: names.profile, value: variant.rawValue, reason: .noSuchWay(PlatformProfile(platform).name),
                expected: .oneOf([PlatformProfile.Variant.standard.rawValue, PlatformProfile.Variant.custom.rawValue]))
        }
    }
}

extension SimulatedProfile {
    /// The action of `SimulatedAction.useProfile` as JSON.
    package var actionJSON: JSONValue {
        .compact([
            ("action", .string(SimulatedAction.Name.profile.rawValue)), ("profile", .string(variant.rawValue)),
            ("limit", limit.map(JSONValue.init(_:))), ("largestRadius", largestRadius.map(JSONValue.init(_:))),
            ("exitCushion", exitBuffer.map(JSONValue.init(_:))),
        ])
    }

    /// Reads the members `profile`, `limit`, `largestRadius` and `exitCushion`.
    init(_ fields: inout JSONFields) throws(Problem) {
        guard let variant = try fields.oneOf("profile", PlatformProfile.Variant.self) else {
            throw .missing("profile", .oneOf(PlatformProfile.Variant.allCases.map(\.rawValue)))
        }
        try self.init(
            variant, limit: try fields.integer("limit"), largestRadius: try fields.number("largestRadius"),
            exitBuffer: try fields.number("exitCushion"))
    }
}
