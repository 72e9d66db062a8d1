// The part of Core Location that the example uses, as Apple's SDK declares it. For type checks only.

@_exported import Foundation

public typealias CLLocationDegrees = Double
public typealias CLLocationDistance = Double

public struct CLLocationCoordinate2D: Sendable {
    public var latitude: CLLocationDegrees
    public var longitude: CLLocationDegrees

    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

open class CLLocation: NSObject {
    public var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: 0, longitude: 0) }
    public var horizontalAccuracy: Double { 0 }
    public var timestamp: Date { Date() }
}

public enum CLAuthorizationStatus: Int32, Sendable {
    case notDetermined, restricted, denied, authorizedAlways, authorizedWhenInUse
}

public enum CLAccuracyAuthorization: Int, Sendable {
    case fullAccuracy, reducedAccuracy
}

public enum CLRegionState: Int, Sendable {
    case unknown, inside, outside
}

open class CLRegion: NSObject, Hashable {
    public let identifier: String
    public var notifyOnEntry = true
    public var notifyOnExit = true

    fileprivate init(identifier: String) { self.identifier = identifier }

    public static func == (a: CLRegion, b: CLRegion) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

open class CLCircularRegion: CLRegion {
    public let center: CLLocationCoordinate2D
    public let radius: CLLocationDistance

    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
        self.center = center
        self.radius = radius
        super.init(identifier: identifier)
    }
}

public struct CLError: Error {
    public enum Code: Int, Sendable {
        case regionMonitoringDenied = 4
        case regionMonitoringFailure, regionMonitoringSetupDelayed, regionMonitoringResponseDelayed
    }

    public var code: Code
    public var alternateRegion: CLRegion? { nil }
}

open class CLLocationManager: NSObject {
    public weak var delegate: (any CLLocationManagerDelegate)?
    public var authorizationStatus: CLAuthorizationStatus { .notDetermined }
    public var accuracyAuthorization: CLAccuracyAuthorization { .fullAccuracy }
    public var location: CLLocation? { nil }
    public var monitoredRegions: Set<CLRegion> { [] }

    public class func locationServicesEnabled() -> Bool { true }

    public func startMonitoring(for region: CLRegion) {}
    public func stopMonitoring(for region: CLRegion) {}
    public func requestState(for region: CLRegion) {}
}

/// In Apple's SDK all methods are optional.
public protocol CLLocationManagerDelegate: AnyObject {
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)
    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)
    func locationManager(_ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error)
}
