import Model
import Registrations
import Registry
import ToolSupport

/// The options that choose the profile of a simulated phone.
enum ProfileOptions {
    /// The options of `device add` and `device edit`.
    static let ofDevice = [profile, limit] + custom
    /// The options of commands that simulate their own phone, and have `--platform`.
    static let ofSimulation = [profile] + custom

    private static let profile = Option(
        "--profile", value: "PROFILE",
        help: "How the simulated phone handles regions: standard, clmonitor (CLMonitor of iOS 17) or custom"
    ).choosing(PlatformProfile.Variant.self)
    private static let custom = [
        Option("--largest-radius", value: "METERS", help: "--profile custom: the largest radius; default: the platform's"),
        Option(
            "--exit-cushion", value: "METERS",
            help: "--profile custom: how far beyond the boundary an exit is reported; default: the platform's"),
    ]

    private static let limit = Option("--region-limit", value: "N", help: "--profile custom: the maximum number of regions")

    static func names(limit: String) -> SimulatedProfile.Names {
        SimulatedProfile.Names(
            profile: "--profile", limit: limit, largestRadius: "--largest-radius", exitBuffer: "--exit-cushion")
    }

    /// The profile that the options choose; nil if they choose none.
    ///
    /// - Parameter limitOption: The option with the maximum number of regions.
    static func chosen(by invocation: Invocation, limitOption: String) throws(Problem) -> SimulatedProfile? {
        let options = ["--profile", limitOption, "--largest-radius", "--exit-cushion"]
        guard options.contains(where: invocation.has) else { return nil }
        let limits = PlatformProfile.customLimits
        let (radii, buffers) = (PlatformProfile.customLargestRadii, PlatformProfile.customExitBuffers)
        return try SimulatedProfile(
            try invocation.oneOf("--profile", PlatformProfile.Variant.self) ?? .standard,
            limit: try invocation.integer(limitOption, in: limits),
            largestRadius: try invocation.number(
                "--largest-radius", in: radii, .metersIn(Int(radii.lowerBound), Int(radii.upperBound))),
            exitBuffer: try invocation.number(
                "--exit-cushion", in: buffers, .metersIn(Int(buffers.lowerBound), Int(buffers.upperBound))),
            names: names(limit: limitOption))
    }

    /// The profile of a phone that a command simulates: `--platform`, `--profile`, and `--limit`, which every profile may have.
    static func simulated(by invocation: Invocation, platform: Device.Platform) throws(Problem) -> PlatformProfile {
        let limit = try invocation.integer("--limit", in: PlatformProfile.customLimits)
        let variant = try invocation.oneOf("--profile", PlatformProfile.Variant.self) ?? .standard
        let names = names(limit: "--limit")
        var profile: PlatformProfile
        if variant == .custom || invocation.has("--largest-radius") || invocation.has("--exit-cushion") {
            let chosen = try chosen(by: invocation, limitOption: "--limit")
            profile = try chosen?.profile(on: platform, names: names) ?? PlatformProfile(platform)
        } else {
            profile = try SimulatedProfile(variant).profile(on: platform, names: names)
        }
        if let limit { profile.limit = limit }
        return profile
    }
}
