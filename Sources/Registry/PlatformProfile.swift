import Model

/// What an operating system does with regions, row by row.
///
/// Sources: Apple's "Location and Maps Programming Guide" and the reference of `CLLocationManager`; Google's "Create and monitor
/// geofences" and the reference of `GeofencingClient`.
public struct PlatformProfile: Hashable, Sendable {
    /// How a failure comes.
    public enum Failure: Hashable, Sendable {
        /// The call fails.
        case thrown(RegistryError.Code)
        /// The call returns normally, and a report comes later.
        case reported(RegistryError.Code)

        public var code: RegistryError.Code {
            switch self {
            case .thrown(let code), .reported(let code): code
            }
        }
    }

    /// What becomes of the regions at a reboot.
    public enum RebootPolicy: String, CaseIterable, Sendable {
        case keep, drop
        /// The list reads empty for a while; the regions keep their slots and come back.
        case emptyAtFirst
        /// Listed, and no longer watched.
        case zombie
    }

    /// What becomes of the regions when the app is updated or stopped by force.
    public enum UpdatePolicy: String, CaseIterable, Sendable {
        case keep, drop
    }

    /// What becomes of the regions when a permission is revoked and given again.
    public enum PermissionPolicy: String, CaseIterable, Sendable {
        /// They stay, deaf until the permission is back.
        case dormant
        case cleared
    }

    public var platform: Device.Platform
    /// As the vendor writes it.
    public var name: String

    // Limits
    /// The most regions of an app, those of every SDK in it together.
    public var limit: Int
    public var overLimit: Failure
    /// Metres; nil where there is no largest radius.
    public var largestRadius: Double?
    public var overLargestRadius: Failure
    /// Metres below which a region is not watched well.
    public var smallestReliableRadius: Double
    /// Whether a smaller region is treated as one of `smallestReliableRadius`.
    public var raisesSmallRadii: Bool
    /// The most characters of an identifier; nil where it does not matter.
    public var longestIdentifier: Int?
    /// A region that is no region: a radius of 0, a place that is none.
    public var malformed: Failure

    // Watching
    /// Whether a region that the device is inside of when it is added tells so, if it is asked to.
    public var hasInitialTrigger: Bool
    /// Whether the state of a region can be asked for.
    public var canTellState: Bool
    /// Metres past the edge where leaving is told.
    public var exitCushion: Double
    /// Seconds for which a change must hold before it is told: as a rule, and at most.
    public var patience: ClosedRange<Double>

    // Permission and location
    /// What a call without the permission comes to.
    public var unauthorized: Failure
    /// Whether such a call registers the region nevertheless.
    public var registersUnauthorized: Bool
    /// What a call comes to while location is switched off; nil when it is taken.
    public var locationOff: Failure?
    /// Whether switching location off removes all regions.
    public var locationOffRemoves: Bool

    // Lateness
    /// The failures of a moment: the same call may succeed later.
    public var delays: [Failure]
    /// Seconds after a call within which a late failure comes.
    public var latestFailure: Double

    // Life; of each the first is the usual
    public var reboot: [RebootPolicy]
    public var update: [UpdatePolicy]
    public var permission: [PermissionPolicy]
    /// Whether clearing the app's data, which the platform may not know, removes all regions.
    public var clearingDataRemoves: Bool

    /// Whether an app can read which of its regions are registered.
    public var isReadable: Bool

    /// Degrees of latitude or longitude by which a region that is read back may differ.
    public var centerTolerance: Double = 1e-7
    /// Metres by which it may differ.
    public var radiusTolerance: Double = 0.5

    public static let ios = PlatformProfile(
        platform: .ios, name: "iOS",
        limit: 20, overLimit: .reported(.regionMonitoringFailure),
        largestRadius: 100_000, overLargestRadius: .reported(.regionMonitoringFailure),
        smallestReliableRadius: 100, raisesSmallRadii: true,
        longestIdentifier: nil, malformed: .reported(.regionMonitoringFailure),
        hasInitialTrigger: false, canTellState: true, exitCushion: 100, patience: 20...20,
        unauthorized: .reported(.regionMonitoringDenied), registersUnauthorized: true,
        locationOff: nil, locationOffRemoves: false,
        delays: [.reported(.regionMonitoringSetupDelayed), .reported(.regionMonitoringResponseDelayed)], latestFailure: 5,
        reboot: [.keep, .drop, .emptyAtFirst, .zombie], update: [.keep], permission: [.dormant, .cleared],
        clearingDataRemoves: false, isReadable: true)

    public static let android = PlatformProfile(
        platform: .android, name: "Android",
        limit: 100, overLimit: .thrown(.tooManyGeofences),
        largestRadius: nil, overLargestRadius: .thrown(.developerError),
        smallestReliableRadius: 100, raisesSmallRadii: false,
        longestIdentifier: 100, malformed: .thrown(.developerError),
        hasInitialTrigger: true, canTellState: false, exitCushion: 0, patience: 0...300,
        unauthorized: .thrown(.insufficientLocationPermission), registersUnauthorized: false,
        locationOff: .thrown(.geofenceNotAvailable), locationOffRemoves: true,
        delays: [.thrown(.requestTooFrequent)], latestFailure: 0,
        reboot: [.drop], update: [.keep, .drop], permission: [.cleared],
        clearingDataRemoves: true, isReadable: false)
}

extension PlatformProfile {
    public init(_ platform: Device.Platform) {
        switch platform {
        case .ios: self = .ios
        case .android: self = .android
        }
    }

    /// The radius in metres that the operating system really uses.
    @inlinable
    public func usedRadius(_ radius: Double) -> Double {
        raisesSmallRadii && radius < smallestReliableRadius ? smallestReliableRadius : radius
    }

    /// Whether the operating system takes a circle of this radius (metres).
    @inlinable
    public func takes(radius: Double) -> Bool {
        radius > 0 && radius.isFinite && radius <= largestRadius ?? .infinity
    }
}
