import Foundation
import Geodesy
import Model
import Reconciler
import Registry
import SimulatedOS
import TestSupport

/// Everything that a repair works with, as one value: a device with its simulated operating system, geofences and journal.
struct World {
    static let noon = Instant(milliseconds: 1_777_629_600_000)
    static let home = Coordinate(latitude: 52.52, longitude: 13.405)

    var os: SimulatedOS
    var journal = RegistryJournal()
    var fences: [Geofence] = [] {
        didSet { catalog = FenceCatalog(fences, profile: os.profile) }
    }
    private(set) var catalog: FenceCatalog
    var device: Device
    var fixes: [Fix] = []
    /// The ids of the geofences with an enter but no exit yet.
    var openVisits: Set<String> = []
    var random: SeededRandom
    /// The geofences for which a repair reported a state that was already known: an enter without an exit in between, or the reverse.
    var repeated: [String] = []
    /// How many times the journal was saved.
    var saves = 0

    init(_ profile: PlatformProfile = .ios, limit: Int? = nil, seed: UInt64 = 1) {
        var profile = profile
        if let limit { profile.limit = limit }
        os = SimulatedOS(profile, seed: seed, at: Self.noon)
        catalog = FenceCatalog([], profile: profile)
        device = Device(id: "phone", platform: profile.platform, registry: .simulated)
        random = SeededRandom(seed: seed)
    }

    var context: DeviceContext { DeviceContext(device: device, fixes: fixes, openVisits: openVisits) }

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
        let fix = Fix(time: os.now + seconds, coordinate: Self.place(east, north), accuracy: accuracy)
        os.observe(fix)
        fixes.append(fix)
        takeReports()
    }

    /// Adds the reports of the operating system to the journal, and returns them.
    @discardableResult
    mutating func takeReports() -> [RegistryReport] {
        let reports = os.takeReports()
        for report in reports { journal.record(report) }
        return reports
    }

    /// Evaluates the registry in its current state.
    mutating func assess() -> Assessment {
        var snapshot: RegistrySnapshot?
        while snapshot == nil { snapshot = try? os.snapshot() }
        return Assessment(of: snapshot!, in: context, catalog: catalog, journal: journal)
    }

    mutating func health() -> GeofenceHealthStatus { GeofenceHealthStatus(assess()) }

    /// Repairs the registry.
    ///
    /// - Parameters:
    ///   - kill: The number of the action before which the repair is killed; nil to complete it.
    ///   - watch: Called before each call of the operating system.
    /// - Returns: The report, or nil if the repair was killed.
    @discardableResult
    mutating func repair(killedAt kill: Int? = nil, watch: (RegistryOperation, SimulatedOS) -> Void = { _, _ in })
        -> RepairReport?
    {
        var repair = Repair(of: context, catalog: catalog, journal: journal)
        var action = repair.handle(.begin, at: os.now, using: &random)
        var count = 0
        while action != .finish {
            if count == kill { return nil }
            count += 1
            let event: Repair.Event
            switch action {
            case .read:
                do { event = .read(try os.snapshot()) } catch { event = .noAnswer(error) }
            case .save(let saved):
                journal = saved
                saves += 1
                event = .saved
            case .perform(let operation):
                watch(operation, os)
                event = perform(operation)
            case .wait(let deadline):
                os.advance(to: deadline)
                event = .woke
            case .recordStates(let states):
                for state in states {
                    if openVisits.contains(state.geofenceID) == (state.state == .inside) { repeated.append(state.geofenceID) }
                    setVisit(state.geofenceID, state.state == .inside)
                }
                event = .statesRecorded
            case .finish: return repair.report
            }
            action = repair.handle(event, at: os.now, using: &random)
        }
        return repair.report
    }

    /// Repairs the registry completely.
    mutating func repaired() throws -> RepairReport {
        guard let report = repair() else { throw CancellationError() }
        return report
    }

    private mutating func perform(_ operation: RegistryOperation) -> Repair.Event {
        do throws(RegistryError) {
            switch operation.kind {
            case .start(let region): try os.startMonitoring(region)
            case .stop(let id): try os.stopMonitoring(id)
            case .requestState(let id): return .done(try os.requestState(id))
            }
            return .done(nil)
        } catch {
            return .failed(error)
        }
    }

    /// Stores whether the device is inside a geofence, as an event would.
    mutating func setVisit(_ fence: String, _ isInside: Bool) {
        if isInside { openVisits.insert(fence) } else { openVisits.remove(fence) }
    }

    /// The short ids of the registered regions that belong to Picket.
    var held: [String] { os.regions.filter(\.id.isOurs).map(\.id.shortText) }
}
