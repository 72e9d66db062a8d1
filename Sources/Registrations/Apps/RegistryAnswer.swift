import Model
import Reconciler
import Registry

/// The answer to an app that reports its regions.
struct RegistryAnswer: Sendable {
    var status: GeofenceHealthStatus
    /// The operations that the app should carry out, in order.
    var operations: [RegistryOperation]
    /// The identifiers of the regions in the app's operating system.
    var identifiers = RegionIdentifiers.picket
    /// Whether the report has made the device.
    var isNewDevice = false
}

extension RegistryAnswer: JSONWritable {
    static let output = JSONOutput<RegistryAnswer>(
        "RegistryAnswer", summary: "The health of the reported regions, and the calls that repair it",
        .init("health", kind: .object, content: { HealthDocument($0.status) }),
        .init(
            "operations", kind: .list(of: .object(of: RegistryOperation.output)), summary: "The calls to make, in order",
            content: { answer in
                let profile = PlatformProfile(answer.status.device.platform ?? .ios)
                return answer.operations.map { ($0, answer.identifiers, profile) }
            }),
        .init(
            "reportedAt", optional: .time,
            summary: "When the regions were reported to which the health belongs: the time of the newest report",
            content: \.status.reportedAt),
        .init(
            "staleAt", optional: .time, summary: "When that report will be too old; missing when it never will be",
            content: \.status.staleAt))
}

extension RegistryOperation {
    /// An operation for an app. The identifiers are those in the app's operating system. The texts depend on the platform.
    static let output = JSONOutput<
        (operation: RegistryOperation, identifiers: RegionIdentifiers, profile: PlatformProfile)
    >(
        "RegistryOperation", summary: "A call that an app should make",
        .init("operation", kind: .word, summary: "The call", content: \.operation.kind.name),
        .init(
            "identifier", kind: .text, summary: "The region's identifier in the operating system",
            content: { $0.identifiers.identifier(of: $0.operation.id) }),
        .init(
            "geofenceId", optional: .text, summary: "The geofence's id; missing for the sentinel",
            content: \.operation.id.geofence),
        .init("name", kind: .text, summary: "The geofence's name") { $0.operation.name(in: $1.language) },
        .init("reason", kind: .text, summary: "The reason in words") { $0.operation.words($0.profile, in: $1.language) },
        .init(
            "region", optional: .object(of: Region.wantedOutput), summary: "With start: the region to watch",
            content: { operation in operation.operation.startedRegion.map(operation.identifiers.inApp) }))

    private var startedRegion: Region? { if case .start(let region) = kind { region } else { nil } }
}

extension Region {
    /// A region with the option of the call that adds it.
    static let wantedOutput = JSONOutput<Region>(
        "WantedRegion", summary: "A region to watch",
        .init(membersOf: Region.output, content: \.self),
        .init(
            "initialTrigger", kind: .list(of: .text),
            summary: "What is reported immediately after the region is added: enter, exit, both or nothing",
            content: \.initialTriggers))

    private var initialTriggers: [String] {
        [(InitialTrigger.enter, "enter"), (.exit, "exit")].filter { initialTrigger.contains($0.0) }.map(\.1)
    }
}
