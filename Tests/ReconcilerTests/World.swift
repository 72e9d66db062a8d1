import Foundation
import Geodesy
import Model
import Reconciler
import Registry
import SimulatedOS
import TestSupport
import Testing

/// Everything that a repair works with, as one value: a device with its simulated operating system, geofences and journal.
typealias World = ReconciledPhone

extension ReconciledPhone {
    static let noon = Instant(milliseconds: 1_777_629_600_000)
    static let home = Coordinate(latitude: 52.52, longitude: 13.405)

    init(_ profile: PlatformProfile = .ios, limit: Int? = nil, seed: UInt64 = 1) {
        var profile = profile
        if let limit { profile.limit = limit }
        let device = Device(id: "phone", platform: profile.platform, registry: .simulated)
        self.init(of: device, fences: [], os: SimulatedOS(profile, seed: seed, at: Self.noon), seed: seed)
    }

    /// The point at a distance of `east` and `north` meters from `home`, on a sphere.
    static func place(_ east: Double, _ north: Double = 0) -> Coordinate {
        let latitude = home.latitude + north / 111_195
        return Coordinate(latitude: latitude, longitude: home.longitude + east / (111_195 * cos(latitude * .pi / 180)))
    }

    /// A circular geofence with its center `east` and `north` meters from `home`. The radius is in meters.
    static func fence(_ id: String, _ east: Double, _ north: Double = 0, radius: Double = 150, priority: Int = 0) -> Geofence {
        Geofence(
            id: id, name: "Fence \(id)", shape: .circle(Circle(center: place(east, north), radius: radius)), priority: priority)
    }

    /// Adds a fix at a place, `seconds` after the current time, to the device and to its operating system.
    mutating func observe(_ east: Double, _ north: Double = 0, accuracy: Double = 5, after seconds: Double = 60) {
        observe(Fix(time: os.now + seconds, coordinate: Self.place(east, north), accuracy: accuracy))
        takeReports()
    }

    /// Repairs the registry completely.
    mutating func repaired() throws -> RepairOutcome {
        guard let report = repair() else { throw CancellationError() }
        return report
    }

    /// The short ids of the registered regions that belong to Picket.
    var held: [String] { os.regions.filter(\.id.isOurs).map(\.id.shortText) }
}

extension PlatformProfile: CustomTestStringConvertible {
    public var testDescription: String { fullName }
}

extension RegistryReport {
    /// Whether the report is an enter or exit.
    var isTransition: Bool {
        switch kind {
        case .entered, .exited: true
        case .failed: false
        }
    }
}
