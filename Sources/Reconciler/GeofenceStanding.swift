import Model
import Registry

/// Why a geofence is or is not registered on a device now, as JSON.
package struct GeofenceStanding: Sendable {
    private let geofenceID: String
    private let name: String?
    private let reason: RegistrationReason
    private let profile: PlatformProfile

    fileprivate init(_ geofenceID: String, name: String?, _ reason: RegistrationReason, on profile: PlatformProfile) {
        self.geofenceID = geofenceID
        self.name = name
        self.reason = reason
        self.profile = profile
    }
}

extension GeofenceStanding: JSONWritable {
    package static let output = JSONOutput<GeofenceStanding>(
        "GeofenceStanding", summary: "Why a geofence is or is not registered",
        .init("geofenceId", kind: .text, summary: "The geofence's id", content: \.geofenceID),
        .init("name", optional: .text, summary: "The geofence's name", content: \.name),
        .init(
            "isRegistered", kind: .flag, summary: "Whether the operating system watches it now", content: \.reason.isRegistered),
        .init("standing", kind: .text, summary: "The reason in words") { $0.reason.words($0.profile, in: $1.language) })
}

extension Assessment {
    /// The standings of the geofences for the device, at most 1000.
    package func standings(of status: GeofenceHealthStatus) -> [GeofenceStanding] {
        status.savedInApp.prefix(1000).map { id in
            GeofenceStanding(id, name: name(of: id), registrationReason(of: id), on: profile)
        }
    }
}
