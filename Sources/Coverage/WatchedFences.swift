import Geodesy
import Model
import Reconciler

/// The geofences of a device that its operating system can watch.
struct WatchedFences {
    let candidates: RegionCandidates
    let device: Device
    /// The numbers of the geofences among the candidates, in ascending order, which is also the order of their ids.
    let numbers: [Int]
    /// The centers in the order of `numbers`.
    let centers: [EarthVector]
    private let fences: DeviceFences

    init(_ candidates: RegionCandidates, for device: Device) {
        self.candidates = candidates
        self.device = device
        fences = candidates.fences(for: device)
        numbers = fences.numbers.filter { candidates.entries[$0].watchability.isWatchable }
        centers = numbers.map { EarthVector(candidates.entries[$0].circle.center) }
    }

    /// The numbers of at most `count` geofences, those with the nearest boundary first.
    func nearest(_ count: Int, to place: EarthVector) -> [Int] { fences.nearest(count, to: place).map(\.number) }

    /// The geofences that contain a point.
    func containing(_ place: EarthVector) -> [RegionCandidates.RegionCandidate] {
        fences.containing(place).map { candidates.entries[$0.number] }
    }

    /// The numbers of the geofences that contain a fix, ascending. No other geofence can be entered.
    func met(by fixes: [Fix]) -> [Int] {
        var met: Set<Int> = []
        for fix in fixes { for found in fences.containing(EarthVector(fix.coordinate)) { met.insert(found.number) } }
        return met.sorted()
    }
}
