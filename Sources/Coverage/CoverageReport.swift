import Model
import Registry

/// The result of a coverage study: for each strategy, how many transitions it reported of those that a phone with every geofence
/// registered reports.
package struct CoverageReport: Hashable, Sendable {
    package let platform: Device.Platform
    package let variant: PlatformProfile.Variant
    /// The maximum number of regions.
    package let limit: Int
    /// The number of active geofences.
    package let geofenceCount: Int
    package internal(set) var deviceCount = 0
    package internal(set) var fixCount = 0
    /// Enters and exits of a phone with every geofence registered.
    package internal(set) var transitionCount = 0
    package internal(set) var strategies: [StrategyCoverage]

    init(profile: PlatformProfile, geofenceCount: Int, strategies: [StrategyCoverage]) {
        platform = profile.platform
        variant = profile.variant
        limit = profile.limit
        self.geofenceCount = geofenceCount
        self.strategies = strategies
    }

    /// The result of one strategy.
    package subscript(strategy: RegionStrategy) -> StrategyCoverage? { strategies.first { $0.strategy == strategy } }
}

extension CoverageReport: JSONWritable {
    package static let output = JSONOutput<CoverageReport>(
        "Coverage", summary: "What a phone's operating system reports to an app, depending on how the app selects regions",
        .init("platform", kind: .word, summary: "The simulated platform", content: \.platform),
        .init("profile", kind: .word, summary: "How the platform handles regions", content: \.variant),
        .init("limit", kind: .whole, summary: "The maximum number of regions", content: \.limit),
        .init("geofences", kind: .whole, summary: "Active geofences", content: \.geofenceCount),
        .init("devices", kind: .whole, summary: "Devices in the tracks", content: \.deviceCount),
        .init("fixes", kind: .whole, summary: "Positions in the tracks", content: \.fixCount),
        .init(
            "transitions", kind: .whole, summary: "Enters and exits of a phone with every geofence registered",
            content: \.transitionCount),
        .init(
            "strategies", kind: .list(of: .object(of: StrategyCoverage.output)), summary: "One for each strategy",
            content: { report in report.strategies.map { ($0, report.limit) } }))
}

extension StrategyCoverage {
    package static let output = JSONOutput<(coverage: StrategyCoverage, limit: Int)>(
        "StrategyCoverage", summary: "What was reported to an app with one strategy",
        .init("strategy", kind: .word, summary: "Which", content: \.coverage.strategy),
        .init("summary", kind: .text, summary: "What it does, in words") { value, _ in
            value.coverage.strategy.summary(limit: value.limit)
        },
        .init("told", kind: .whole, summary: "Transitions that were reported to the app", content: \.coverage.reported),
        .init("missed", kind: .whole, summary: "Transitions that were not reported to the app", content: \.coverage.missed),
        .init(
            "missedAtRisk", kind: .whole,
            summary: "Missed transitions of geofences that health had listed as at risk", content: \.coverage.missedAtRisk),
        .init(
            "false", kind: .whole, summary: "Enters and exits that were reported to the app although they did not happen",
            content: \.coverage.wrong),
        .init("starts", kind: .whole, summary: "Calls that start monitoring", content: \.coverage.calls.start),
        .init("stops", kind: .whole, summary: "Calls that stop monitoring", content: \.coverage.calls.stop),
        .init("stateRequests", kind: .whole, summary: "Calls that request a state", content: \.coverage.calls.requestState),
        .init(
            "refused", kind: .whole, summary: "Registrations that were refused and therefore lost",
            content: \.coverage.calls.refused),
        .init(
            "examples", kind: .list(of: .object(of: RegionTransition.output)),
            summary: "The first missed transitions, up to \(mostExamples)", content: \.coverage.examples))
}

extension RegionTransition: JSONWritable {
    package static let output = JSONOutput<RegionTransition>(
        "RegionTransition", summary: "An enter or exit that an operating system reports",
        .init("deviceId", kind: .text, summary: "The device", content: \.deviceID),
        .init("geofenceId", kind: .text, summary: "The geofence", content: \.geofenceID),
        .init("type", kind: .word, summary: "enter or exit", content: \.type),
        .init("at", kind: .time, summary: "When the operating system reports it", content: \.at))

    private var type: EventType { isEnter ? .enter : .exit }
}
