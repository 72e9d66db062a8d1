#if canImport(CoreLocation) && canImport(UIKit)
    import CoreLocation
    import Geodesy
    import PicketModel
    import Registry
    import UIKit

    /// Core Location's own manager.
    @MainActor
    public final class SystemLocationManager: NSObject, LocationManaging {
        public weak var delegate: (any LocationManagingDelegate)?
        private let manager = CLLocationManager()

        public override init() {
            super.init()
            manager.delegate = self
        }

        public var authorizationStatus: Authorization {
            switch manager.authorizationStatus {
            case .notDetermined: .notDetermined
            case .restricted: .restricted
            case .denied: .denied
            case .authorizedWhenInUse: .whenInUse
            case .authorizedAlways: .always
            @unknown default: .notDetermined
            }
        }

        public var isPrecise: Bool { manager.accuracyAuthorization == .fullAccuracy }

        public var isBackgroundRefreshOn: Bool { UIApplication.shared.backgroundRefreshStatus == .available }

        public func locationServicesEnabled() async -> Bool {
            await Task.detached { CLLocationManager.locationServicesEnabled() }.value
        }

        public var latestFix: Fix? { manager.location.flatMap(Fix.init) }

        public var monitoredRegions: [Region] { manager.monitoredRegions.map(Region.init) }

        public func startMonitoring(for region: Region) { manager.startMonitoring(for: CLCircularRegion(region)) }

        public func stopMonitoring(for id: RegionID) {
            for region in manager.monitoredRegions where region.identifier == id.text { manager.stopMonitoring(for: region) }
        }

        public func requestState(for id: RegionID) {
            for region in manager.monitoredRegions where region.identifier == id.text { manager.requestState(for: region) }
        }
    }

    extension SystemLocationManager: @preconcurrency CLLocationManagerDelegate {
        public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
            delegate?.didEnterRegion(RegionID(region.identifier), at: SystemClock().now())
        }

        public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
            delegate?.didExitRegion(RegionID(region.identifier), at: SystemClock().now())
        }

        public func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
            delegate?.didDetermineState(RegionState(state), for: RegionID(region.identifier))
        }

        public func locationManager(
            _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
        ) {
            // Without a region, the failure is not about a particular one: the next snapshot shows what is missing.
            guard let region else { return }
            delegate?.monitoringDidFail(
                for: RegionID(region.identifier), with: RegistryError(coreLocation: error), at: SystemClock().now())
        }
    }

    extension Fix {
        /// A position from Core Location; nil if it is not valid.
        fileprivate init?(_ location: CLLocation) {
            guard location.horizontalAccuracy >= 0, let time = Instant(seconds: location.timestamp.timeIntervalSince1970) else {
                return nil
            }
            self.init(
                time: time,
                coordinate: Coordinate(latitude: location.coordinate.latitude, longitude: location.coordinate.longitude),
                accuracy: location.horizontalAccuracy)
        }
    }

    extension Region {
        /// A region that Core Location monitors. One that is not a circle, such as a beacon's, belongs to another library: it
        /// takes a slot, and is otherwise ignored.
        fileprivate init(_ region: CLRegion) {
            let circle = region as? CLCircularRegion
            self.init(
                id: RegionID(region.identifier),
                circle: Circle(
                    center: Coordinate(latitude: circle?.center.latitude ?? 0, longitude: circle?.center.longitude ?? 0),
                    radius: circle?.radius ?? 0),
                notifyOnEntry: region.notifyOnEntry, notifyOnExit: region.notifyOnExit)
        }
    }

    extension CLCircularRegion {
        fileprivate convenience init(_ region: Region) {
            self.init(
                center: CLLocationCoordinate2D(
                    latitude: region.circle.center.latitude, longitude: region.circle.center.longitude),
                radius: region.circle.radius, identifier: region.id.text)
            notifyOnEntry = region.notifyOnEntry
            notifyOnExit = region.notifyOnExit
        }
    }

    extension RegionState {
        fileprivate init(_ state: CLRegionState) {
            switch state {
            case .inside: self = .inside
            case .outside: self = .outside
            case .unknown: self = .unknown
            @unknown default: self = .unknown
            }
        }
    }

    extension RegistryError {
        /// A failure of region monitoring, with the region that Core Location proposes instead.
        fileprivate init(coreLocation error: any Error) {
            if let error = error as? CLError {
                self.init(Code(number: error.code.rawValue), alternative: error.alternateRegion.map(Region.init))
            } else {
                self.init(Code(number: nil, name: "\(error)"))
            }
        }
    }
#endif
