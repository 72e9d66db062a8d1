import PicketModel
import Registry

/// What the registry needs of a `CLLocationManager`, with Core Location's names. The protocol makes it possible to test without a
/// phone.
@MainActor public protocol LocationManaging: AnyObject {
    /// Receives the callbacks. It is not retained.
    var delegate: (any LocationManagingDelegate)? { get set }

    var authorizationStatus: Authorization { get }
    /// Whether the app may know the precise location.
    var isPrecise: Bool { get }
    /// Whether the app may run in the background when a region is entered or left.
    var isBackgroundRefreshOn: Bool { get }
    /// Whether location services are on. Core Location's answer may take long, so it must not block the main thread.
    func locationServicesEnabled() async -> Bool

    /// The newest position that the operating system has; nil if it has none.
    var latestFix: Fix? { get }

    /// All regions of the app, including those of other libraries in it.
    var monitoredRegions: [Region] { get }
    /// Monitors a region, and replaces one with the same identifier. A failure is reported to the delegate.
    func startMonitoring(for region: Region)
    func stopMonitoring(for id: RegionID)
    /// Requests `didDetermineState` for a region.
    func requestState(for id: RegionID)
}
