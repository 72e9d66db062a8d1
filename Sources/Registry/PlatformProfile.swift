import Model

/// How an operating system handles regions: its limits, delays, failures, and what it does with regions in each situation.
///
/// Sources: Apple's "Location and Maps Programming Guide" and the reference of `CLLocationManager`; Google's "Create and monitor
/// geofences" and the reference of `GeofencingClient`.
public struct PlatformProfile: Hashable, Sendable {
    /// How a failure reaches the app.
    public enum FailureMode: Hashable, Sendable {
        /// The call throws the error.
        case thrown(RegistryError.Code)
        /// The call returns normally, and the error is reported later.
        case reported(RegistryError.Code)

        /// The code of the error.
        public var code: RegistryError.Code {
            switch self {
            case .thrown(let code), .reported(let code): code
            }
        }
    }

    /// What happens to the regions at a reboot.
    public enum RebootPolicy: String, CaseIterable, Sendable {
        /// The regions stay registered.
        case keep
        /// The regions are removed.
        case drop
        /// The list is empty for a while. The regions keep their slots and reappear.
        case emptyAtFirst
        /// The regions are still listed, but no longer watched.
        case zombie
    }

    /// What happens to the regions when the app is updated or force-stopped.
    public enum UpdatePolicy: String, CaseIterable, Sendable {
        /// The regions stay registered.
        case keep
        /// The regions are removed.
        case drop
    }

    /// What happens to the regions when a permission is revoked and granted again.
    public enum PermissionPolicy: String, CaseIterable, Sendable {
        /// The regions stay registered, and nothing is reported until the permission is granted again.
        case dormant
        /// The regions are removed.
        case cleared
    }

    /// The platform.
    public var platform: Device.Platform
    /// The platform's name as its vendor writes it.
    public var name: String

    // Limits
    /// The maximum number of regions of an app. All SDKs in the app share them.
    public var limit: Int
    /// The failure of a call that would exceed `limit`.
    public var overLimit: FailureMode
    /// In meters; nil if there is no largest radius.
    public var largestRadius: Double?
    /// The failure of a call whose radius exceeds `largestRadius`.
    public var overLargestRadius: FailureMode
    /// Meters; smaller regions are not watched reliably.
    public var smallestReliableRadius: Double
    /// Whether a region smaller than `smallestReliableRadius` is watched with that radius.
    public var raisesSmallRadii: Bool
    /// The maximum number of characters of an identifier; nil if there is no maximum.
    public var longestIdentifier: Int?
    /// The failure for an invalid region: its radius is not positive, or its center is not a valid coordinate.
    public var malformed: FailureMode

    // Watching
    /// Whether the operating system supports `Region.initialTrigger`.
    public var hasInitialTrigger: Bool
    /// Whether the app can request the state of a region.
    public var supportsStateRequests: Bool
    /// Meters beyond the boundary at which an exit is reported.
    public var exitBuffer: Double
    /// The range of seconds for which a change must last before it is reported.
    public var reportDelay: ClosedRange<Double>

    // Permission and location
    /// The failure of a call without the permission.
    public var unauthorized: FailureMode
    /// Whether a call without the permission registers the region in spite of the failure.
    public var registersUnauthorized: Bool
    /// The failure of a call while location services are off; nil if the call succeeds.
    public var locationOff: FailureMode?
    /// Whether all regions are removed when location services are switched off.
    public var locationOffRemoves: Bool

    // Temporary failures
    /// The temporary failures: the same call may succeed later.
    public var delays: [FailureMode]
    /// The maximum number of seconds between a call and the report of its failure.
    public var latestFailure: Double

    // The possible policies of each kind; the first one is the usual one
    /// What may happen at a reboot.
    public var reboot: [RebootPolicy]
    /// What may happen when the app is updated or force-stopped.
    public var update: [UpdatePolicy]
    /// What may happen when a permission is revoked and granted again.
    public var permission: [PermissionPolicy]
    /// Whether all regions are removed when the app's data is cleared. False on platforms that cannot clear an app's data.
    public var clearingDataRemoves: Bool

    /// Whether the app can read the list of its registered regions.
    public var isReadable: Bool

    /// Degrees of latitude or longitude by which a region that is read back may differ from the registered one.
    public var centerTolerance: Double = 1e-7
    /// Meters by which the radius of a region that is read back may differ from the registered one.
    public var radiusTolerance: Double = 0.5

    // What differs between the variants of a platform
    /// Which of the platform's ways the profile describes.
    public var variant = Variant.standard
    /// Whether a call that adds a region replaces the live region with the same identifier. If not, the call returns normally and has no
    /// effect, so the live region has to be stopped first.
    public var replacesLiveRegions = true
    /// Whether a region beyond the limit is listed, and monitored as soon as a slot is free. Then `overLimit` does not apply.
    public var listsRegionsOverLimit = false
    /// Whether the first known state of a region is reported like a change.
    public var reportsInitialState = false
    /// Whether a region can be registered without the notification of its entry or exit.
    public var hasNotificationOptions = true

    /// Core Location's region monitoring (`CLLocationManager`).
    public static let ios = PlatformProfile(
        platform: .ios, name: "iOS",
        limit: 20, overLimit: .reported(.regionMonitoringFailure),
        largestRadius: 100_000, overLargestRadius: .reported(.regionMonitoringFailure),
        smallestReliableRadius: 100, raisesSmallRadii: true,
        longestIdentifier: nil, malformed: .reported(.regionMonitoringFailure),
        hasInitialTrigger: false, supportsStateRequests: true, exitBuffer: 100, reportDelay: 20...20,
        unauthorized: .reported(.regionMonitoringDenied), registersUnauthorized: true,
        locationOff: nil, locationOffRemoves: false,
        delays: [.reported(.regionMonitoringSetupDelayed), .reported(.regionMonitoringResponseDelayed)], latestFailure: 5,
        reboot: [.keep, .drop, .emptyAtFirst, .zombie], update: [.keep], permission: [.dormant, .cleared],
        clearingDataRemoves: false, isReadable: true)

    /// The geofences of Google Play services (`GeofencingClient`).
    public static let android = PlatformProfile(
        platform: .android, name: "Android",
        limit: 100, overLimit: .thrown(.tooManyGeofences),
        largestRadius: nil, overLargestRadius: .thrown(.developerError),
        smallestReliableRadius: 100, raisesSmallRadii: false,
        longestIdentifier: 100, malformed: .thrown(.developerError),
        hasInitialTrigger: true, supportsStateRequests: false, exitBuffer: 0, reportDelay: 0...300,
        unauthorized: .thrown(.insufficientLocationPermission), registersUnauthorized: false,
        locationOff: .thrown(.geofenceNotAvailable), locationOffRemoves: true,
        delays: [.thrown(.requestTooFrequent)], latestFailure: 0,
        reboot: [.drop], update: [.keep, .drop], permission: [.cleared],
        clearingDataRemoves: true, isReadable: false)
}

extension PlatformProfile {
    /// The profile of a platform.
    public init(_ platform: Device.Platform) {
        switch platform {
        case .ios: self = .ios
        case .android: self = .android
        }
    }

    /// The radius in meters that the operating system really uses for a requested radius.
    @inlinable
    public func usedRadius(_ radius: Double) -> Double {
        raisesSmallRadii && radius < smallestReliableRadius ? smallestReliableRadius : radius
    }

    /// Whether the operating system accepts a circle with this radius (meters).
    @inlinable
    public func accepts(radius: Double) -> Bool {
        radius > 0 && radius.isFinite && radius <= largestRadius ?? .infinity
    }
}
