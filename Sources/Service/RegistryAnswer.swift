import Model
import Reconciler
import Registry

/// The answer to an app that reports its regions.
package struct RegistryAnswer: Sendable {
    package var status: GeofenceHealthStatus
    /// The operations that the app should carry out, in order.
    package var operations: [RegistryOperation]
}

extension RegistryAnswer: JSONWritable {
    package static let output = JSONOutput<RegistryAnswer>(
        "RegistryAnswer", summary: "The health of the reported regions, and the calls that repair it",
        .init("health", kind: .object, content: { HealthDocument($0.status) }),
        .init(
            "operations", kind: .list(of: .object(of: RegistryOperation.output)), summary: "The calls to make, in order",
            content: { answer in
                let profile = PlatformProfile(answer.status.device.platform ?? .ios)
                return answer.operations.map { ($0, profile) }
            }))
}

extension RegistryOperation {
    /// An operation for an app. The identifiers are those in the operating system, with Picket's prefix. The texts depend on the platform.
    package static let output = JSONOutput<(operation: RegistryOperation, profile: PlatformProfile)>(
        "RegistryOperation", summary: "A call that an app should make",
        .init("operation", kind: .word, summary: "The call", content: \.operation.kind.name),
        .init(
            "identifier", kind: .text, summary: "The region's identifier in the operating system", content: \.operation.id.text),
        .init("name", kind: .text, summary: "The geofence's name") { $0.operation.name(in: $1.language) },
        .init("reason", kind: .text, summary: "The reason in words") { $0.operation.words($0.profile, in: $1.language) },
        .init(
            "region", optional: .object(of: Region.wantedOutput), summary: "With start: the region to watch",
            content: \.operation.startedRegion))

    private var startedRegion: Region? { if case .start(let region) = kind { region } else { nil } }
}

extension Region {
    /// A region with the option of the call that adds it.
    package static let wantedOutput = JSONOutput<Region>(
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
