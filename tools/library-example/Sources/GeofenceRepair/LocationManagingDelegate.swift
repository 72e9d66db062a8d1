import PicketModel
import Registry

/// The callbacks of a `LocationManaging`, as those of a `CLLocationManagerDelegate`.
@MainActor public protocol LocationManagingDelegate: AnyObject {
    func didEnterRegion(_ id: RegionID, at time: Instant)
    func didExitRegion(_ id: RegionID, at time: Instant)
    func didDetermineState(_ state: RegionState, for id: RegionID)
    func monitoringDidFail(for id: RegionID, with error: RegistryError, at time: Instant)
}
