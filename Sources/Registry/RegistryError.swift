import Model

/// Why an operating system did not do as it was asked.
public struct RegistryError: Error, Hashable, Sendable {
    /// A failure by its vendor's name and number. A code that this version does not know is still a code.
    public struct Code: Hashable, Sendable {
        /// The vendor's number; nil for what no vendor numbers.
        public var number: Int?
        /// The vendor's name of it.
        public var name: String

        public init(number: Int?, name: String) {
            self.number = number
            self.name = name
        }

        // Core Location, `CLError.Code`. They come through `locationManager(_:monitoringDidFailFor:withError:)`, after the
        // call has long returned.

        /// The person does not let the app watch regions.
        public static let regionMonitoringDenied = Code(number: 4, name: "kCLErrorRegionMonitoringDenied")
        /// The region cannot be watched: one too many, or too large.
        public static let regionMonitoringFailure = Code(number: 5, name: "kCLErrorRegionMonitoringFailure")
        /// Watching cannot begin right now.
        public static let regionMonitoringSetupDelayed = Code(number: 6, name: "kCLErrorRegionMonitoringSetupDelayed")
        /// Events would be late; the error may name another region that can be watched better.
        public static let regionMonitoringResponseDelayed = Code(number: 7, name: "kCLErrorRegionMonitoringResponseDelayed")

        // Google Play services, `CommonStatusCodes` and `GeofenceStatusCodes`. The call itself fails with them.

        /// The call cannot be right: a radius that is no length, a request id of more than 100 characters.
        public static let developerError = Code(number: 10, name: "DEVELOPER_ERROR")
        /// Geofences cannot be had now, as a rule because location is switched off.
        public static let geofenceNotAvailable = Code(number: 1000, name: "GEOFENCE_NOT_AVAILABLE")
        /// The app has 100 geofences already.
        public static let tooManyGeofences = Code(number: 1001, name: "GEOFENCE_TOO_MANY_GEOFENCES")
        /// The app lacks the permission to know the fine location in the background.
        public static let insufficientLocationPermission = Code(
            number: 1004, name: "GEOFENCE_INSUFFICIENT_LOCATION_PERMISSION")
        /// Geofences were changed too often of late.
        public static let requestTooFrequent = Code(number: 1005, name: "GEOFENCE_REQUEST_TOO_FREQUENT")

        // Of no vendor.

        /// The registry gave no answer.
        public static let unavailable = Code(number: nil, name: "unavailable")
        /// The registry has no such call.
        public static let unsupported = Code(number: nil, name: "unsupported")

        /// Every code that has a name here.
        public static let known: [Code] = [
            .regionMonitoringDenied, .regionMonitoringFailure, .regionMonitoringSetupDelayed, .regionMonitoringResponseDelayed,
            .developerError, .geofenceNotAvailable, .tooManyGeofences, .insufficientLocationPermission, .requestTooFrequent,
            .unavailable, .unsupported,
        ]

        /// A code by its vendor's name.
        public init(name: String) {
            self = Self.known.first { $0.name == name } ?? Code(number: nil, name: name)
        }
    }

    public var code: Code
    /// The region that the alternative names, with `regionMonitoringResponseDelayed` (Apple's
    /// `kCLErrorUserInfoAlternateRegionKey`).
    public var alternative: Region?

    public init(_ code: Code, alternative: Region? = nil) {
        self.code = code
        self.alternative = alternative
    }
}

extension RegistryError: CustomStringConvertible {
    /// Name and number, as `kCLErrorRegionMonitoringFailure (5)`.
    public var description: String { code.name + (code.number.map { " (\($0))" } ?? "") }

    /// The problem that a person sees.
    public func problem(_ profile: PlatformProfile) -> Problem {
        switch code {
        case .regionMonitoringDenied, .insufficientLocationPermission: .regionMonitoringDenied(details: description)
        case .tooManyGeofences: .regionLimitReached(limit: profile.limit)
        case .geofenceNotAvailable: .locationServicesDisabled
        case .unavailable, .unsupported: .registryUnavailable(details: description)
        default: .regionMonitoringFailed(details: description)
        }
    }
}
