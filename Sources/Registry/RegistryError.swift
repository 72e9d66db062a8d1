import Model

/// Why an operating system did not carry out a call.
public struct RegistryError: Error, Hashable, Sendable {
    /// An error code with its vendor's name and number. Codes that this version does not know are kept as they are.
    public struct Code: Hashable, Sendable {
        /// The vendor's number; nil for codes that no vendor defines.
        public var number: Int?
        /// The vendor's name for the code.
        public var name: String

        /// Creates a code from the vendor's number and name.
        public init(number: Int?, name: String) {
            self.number = number
            self.name = name
        }

        // Core Location's `CLError.Code`. These errors arrive through `locationManager(_:monitoringDidFailFor:withError:)` after the call
        // has returned.

        /// The person does not allow the app to monitor regions.
        public static let regionMonitoringDenied = Code(number: 4, name: "kCLErrorRegionMonitoringDenied")
        /// The region cannot be monitored, because the limit is reached or the region is too large.
        public static let regionMonitoringFailure = Code(number: 5, name: "kCLErrorRegionMonitoringFailure")
        /// Monitoring cannot begin immediately.
        public static let regionMonitoringSetupDelayed = Code(number: 6, name: "kCLErrorRegionMonitoringSetupDelayed")
        /// Events would be late. The error may name an alternative region that can be monitored better.
        public static let regionMonitoringResponseDelayed = Code(number: 7, name: "kCLErrorRegionMonitoringResponseDelayed")

        // Google Play services' `CommonStatusCodes` and `GeofenceStatusCodes`. The call itself fails with these errors.

        /// The call is invalid: the radius is not positive, or the request id has more than 100 characters.
        public static let developerError = Code(number: 10, name: "DEVELOPER_ERROR")
        /// Geofences are not available now, usually because location is switched off.
        public static let geofenceNotAvailable = Code(number: 1000, name: "GEOFENCE_NOT_AVAILABLE")
        /// The app already has 100 geofences.
        public static let tooManyGeofences = Code(number: 1001, name: "GEOFENCE_TOO_MANY_GEOFENCES")
        /// The app lacks the permission for precise location in the background.
        public static let insufficientLocationPermission = Code(
            number: 1004, name: "GEOFENCE_INSUFFICIENT_LOCATION_PERMISSION")
        /// Geofences were changed too often recently.
        public static let requestTooFrequent = Code(number: 1005, name: "GEOFENCE_REQUEST_TOO_FREQUENT")

        // Codes that no vendor defines.

        /// The registry gave no answer.
        public static let unavailable = Code(number: nil, name: "unavailable")
        /// The registry does not support the call.
        public static let unsupported = Code(number: nil, name: "unsupported")

        /// All codes that are defined here.
        public static let known: [Code] = [
            .regionMonitoringDenied, .regionMonitoringFailure, .regionMonitoringSetupDelayed, .regionMonitoringResponseDelayed,
            .developerError, .geofenceNotAvailable, .tooManyGeofences, .insufficientLocationPermission, .requestTooFrequent,
            .unavailable, .unsupported,
        ]

        /// The code with this vendor's name; a new code without a number if the name is unknown.
        public init(name: String) {
            self = Self.known.first { $0.name == name } ?? Code(number: nil, name: name)
        }

        /// The code with this vendor's number: the raw value of a `CLError.Code`, or the status code of an Android `ApiException`. For an
        /// unknown number, a new code that is named after it.
        public init(number: Int) {
            self = Self.known.first { $0.number == number } ?? Code(number: number, name: "error \(number)")
        }
    }

    /// What went wrong.
    public var code: Code
    /// The alternative region that comes with `regionMonitoringResponseDelayed` (Apple's `kCLErrorUserInfoAlternateRegionKey`).
    public var alternative: Region?

    /// Creates an error.
    public init(_ code: Code, alternative: Region? = nil) {
        self.code = code
        self.alternative = alternative
    }
}

extension RegistryError: CustomStringConvertible {
    /// The name and number, for example `kCLErrorRegionMonitoringFailure (5)`.
    public var description: String { code.name + (code.number.map { " (\($0))" } ?? "") }

    /// The problem to show to the person.
    public func problem(_ profile: PlatformProfile) -> Problem {
        switch code {
        case .regionMonitoringDenied, .insufficientLocationPermission: .regionMonitoringDenied(details: .verbatim(description))
        case .tooManyGeofences: .regionLimitReached(limit: profile.limit)
        case .geofenceNotAvailable: .locationServicesDisabled
        case .unavailable: .registryUnavailable(details: .systemSilent)
        case .unsupported: .registryUnavailable(details: .verbatim(description))
        default: .regionMonitoringFailed(details: .verbatim(description))
        }
    }
}
