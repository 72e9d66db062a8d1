import Geodesy
import GeofenceRepair
import PicketModel
import Registry

/// Core Location in memory: what the operating system knows, which outlives the app.
@MainActor
public final class SimulatedLocationManager: LocationManaging {
    public weak var delegate: (any LocationManagingDelegate)?
    public var authorizationStatus = Authorization.always
    public var isPrecise = true
    public var isBackgroundRefreshOn = true
    /// Whether location services are on.
    public var isLocationOn = true
    /// The maximum number of regions of the app.
    public var limit = 20
    /// Whether `requestState` is answered.
    public var answersStateRequests = true
    /// The calls that the app has made, such as `start picket/home`.
    public private(set) var calls: [String] = [] {
        didSet { onCall?() }
    }
    /// Called at each call of the app.
    public var onCall: (() -> Void)?

    public private(set) var latestFix: Fix?

    private let clock: SimulatedClock
    private var regions: [RegionID: Region] = [:]

    public init(clock: SimulatedClock) { self.clock = clock }

    public func locationServicesEnabled() async -> Bool { isLocationOn }

    public var monitoredRegions: [Region] { regions.values.sorted { $0.id < $1.id } }

    public func startMonitoring(for region: Region) {
        calls.append("start \(region.id.text)")
        if regions[region.id] == nil, regions.count >= limit {
            delegate?.monitoringDidFail(for: region.id, with: RegistryError(.regionMonitoringFailure), at: clock.now)
        } else {
            regions[region.id] = region
        }
    }

    public func stopMonitoring(for id: RegionID) {
        calls.append("stop \(id.text)")
        regions[id] = nil
    }

    public func requestState(for id: RegionID) {
        calls.append("requestState \(id.text)")
        guard answersStateRequests, let region = regions[id] else { return }
        delegate?.didDetermineState(state(of: region), for: id)
    }

    // MARK: What happens to a phone

    /// Another library in the app monitors a region.
    public func addForeign(_ region: Region) { regions[region.id] = region }

    /// The operating system loses a region without reporting it.
    public func lose(_ id: RegionID) { regions[id] = nil }

    /// The device moves. The regions that it enters and leaves are reported.
    public func move(to place: Coordinate) {
        let before = regions.mapValues(state)
        latestFix = Fix(time: clock.now, coordinate: place, accuracy: 10)
        for region in monitoredRegions {
            switch (before[region.id], state(of: region)) {
            case (.outside, .inside): delegate?.didEnterRegion(region.id, at: clock.now)
            case (.inside, .outside): delegate?.didExitRegion(region.id, at: clock.now)
            default: break
            }
        }
    }

    private func state(of region: Region) -> RegionState {
        guard let position = latestFix?.coordinate else { return .unknown }
        let chord = EarthVector(position).chordSquared(to: EarthVector(region.circle.center)).squareRoot()
        return chord <= region.circle.radius ? .inside : .outside
    }
}
