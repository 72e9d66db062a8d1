import Geodesy
import Model
import Reconciler

/// The geofences of a device that its operating system can watch.
struct WatchedFences {
    let catalog: FenceCatalog
    let device: Device
    /// The numbers of the geofences in the catalog, ascending: sorted by id.
    let numbers: [Int]
    /// The centers in the order of `numbers`.
    let centers: [EarthVector]
    private let fences: DeviceFences

    init(_ catalog: FenceCatalog, for device: Device) {
        self.catalog = catalog
        self.device = device
        fences = catalog.fences(for: device)
        numbers = fences.numbers.filter { catalog.entries[$0].watchability.isWatchable }
        centers = numbers.map { EarthVector(catalog.entries[$0].circle.center) }
    }

    /// The numbers of at most `count` geofences, nearest boundary first.
    func nearest(_ count: Int, to place: EarthVector) -> [Int] { fences.nearest(count, to: place).map(\.number) }

    /// The geofences that contain a point at least `margin` meters from their boundary.
    func containing(_ place: EarthVector, by margin: Double) -> [FenceCatalog.CatalogFence] {
        fences.containing(place).filter { $0.distance >= margin }.map { catalog.entries[$0.number] }
    }

    /// The numbers of the geofences that contain a fix, ascending. No other geofence can be entered.
    func met(by fixes: [Fix]) -> [Int] {
        var met: Set<Int> = []
        for fix in fixes { for found in fences.containing(EarthVector(fix.coordinate)) { met.insert(found.number) } }
        return met.sorted()
    }
}
