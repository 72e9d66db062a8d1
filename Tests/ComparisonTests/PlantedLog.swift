import Geodesy
import Model
import Registry
import SimulatedOS
import TestSupport

@testable import Comparison

/// The log of an app on a simulated phone that drives along a road with geofences, and the faults that were planted before each of them.
struct PlantedLog {
    /// What happens to the phone around one geofence.
    enum Fault: CaseIterable {
        case none, dropped, refused, orphaned, whenInUse, imprecise, locationOff, moved, shrunk, silenced, delayed, lost,
            repeated,
            movedOntoRoad, ghost, inaccurate, logLost
    }

    /// A missed or false transition that must be reported.
    struct Expected: Hashable, CustomStringConvertible {
        var geofence: String
        var kind: TransitionKind
        var outcome: ComparedTransition.Outcome
        var reason: ComparedTransition.Reason

        var description: String { "\(geofence) \(kind) \(outcome) \(reason)" }
    }

    private(set) var geofences: [Geofence] = []
    private(set) var fixes: [Fix] = []
    private(set) var log: [AppObservation] = []
    private(set) var expected: Set<Expected> = []
    /// The transitions that the phone reported in time.
    private(set) var reportedCount = 0
    let profile: PlatformProfile

    private var os: SimulatedOS
    private var isLogging = true
    private var now = Instant("2026-05-01T06:00:00Z")!
    /// Meters along the road.
    private var position = 0.0

    private static let spacing = 2400.0
    private static let step = 150.0

    init(seed: UInt64, _ profile: PlatformProfile) {
        var random = SeededRandom(seed: seed)
        let faults = (Fault.allCases + Fault.allCases + Array(repeating: .none, count: 10)).shuffled(using: &random)
        var unlimited = profile
        unlimited.limit = .max
        self.profile = unlimited
        os = SimulatedOS(unlimited, seed: seed, at: now)
        for (number, fault) in faults.enumerated() {
            let beside = fault == .movedOntoRoad ? 3000.0 : fault == .inaccurate ? 320 : 0
            geofences.append(
                Geofence(
                    id: "f\(number)", name: "Stop \(number)",
                    shape: .circle(Circle(center: Self.place(Double(number + 1) * Self.spacing, beside), radius: 220))))
        }
        drive(to: 100)
        for fence in geofences { start(region(of: fence)) }
        record(.authorization(.always, isPrecise: true))
        record(.locationServices(isEnabled: true))
        recordRegions()
        for (number, fault) in faults.enumerated() {
            let middle = Double(number + 1) * Self.spacing
            drive(to: middle - 1000)
            plant(fault, geofences[number])
            drive(to: middle + 1000)
            undo(fault, geofences[number])
        }
        drive(to: position + 1000)
        // Reports that a fault delays.
        os.advance(to: now + 7200)
        now = now + 7200
        recordReports()
        reportedCount = 2 * faults.count { $0 != .movedOntoRoad && $0 != .inaccurate } - expected.count { $0.outcome == .missed }
    }

    private static func place(_ north: Double, _ east: Double = 0) -> Coordinate {
        Coordinate(
            latitude: 52 + north / WGS84.shortestDegreeOfLatitude, longitude: 13 + east / WGS84.shortestDegreeOfLatitude / 0.6)
    }

    private func region(of fence: Geofence) -> Region {
        guard case .circle(let circle) = fence.shape else { preconditionFailure("circles only") }
        return Region(id: RegionID(geofence: fence.id), circle: circle)
    }

    private mutating func drive(to end: Double) {
        while position < end {
            position += Self.step
            now = now + 10
            addFix()
        }
    }

    private mutating func addFix() {
        let fix = Fix(time: now, coordinate: Self.place(position), accuracy: 5)
        fixes.append(fix)
        os.observe(fix)
        recordReports()
    }

    private mutating func start(_ region: Region) {
        do throws(RegistryError) {
            try os.startMonitoring(region)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    // MARK: - The app's log

    private mutating func record(_ content: AppObservation.Content, at moment: Instant? = nil) {
        if isLogging { log.append(AppObservation(at: moment ?? now, content)) }
    }

    private mutating func recordRegions() { record(.regions(os.regions)) }

    private mutating func recordReports() {
        for report in os.takeReports() {
            switch report.kind {
            case .entered: record(.transition(.enter, report.region), at: report.at)
            case .exited: record(.transition(.exit, report.region), at: report.at)
            case .failed(let error): record(.error(error.code, report.region), at: report.at)
            }
        }
    }

    // MARK: - Faults

    private mutating func expect(
        _ fence: Geofence, _ reason: ComparedTransition.Reason, _ outcome: ComparedTransition.Outcome = .missed,
        kinds: [TransitionKind] = [.enter, .exit]
    ) {
        for kind in kinds { expected.insert(Expected(geofence: fence.id, kind: kind, outcome: outcome, reason: reason)) }
    }

    private mutating func plant(_ fault: Fault, _ fence: Geofence) {
        let own = region(of: fence)
        switch fault {
        case .none: break
        case .dropped:
            os.dropRegions([own.id])
            expect(fence, .notRegistered)
        case .refused:
            os.dropRegions([own.id])
            record(.error(.regionMonitoringFailure, own.id))
            expect(fence, .notRegistered)
        case .orphaned:
            os.dropRegions([own.id])
            os.add(Region(id: RegionID("picket/old-\(fence.id)"), circle: own.circle))
            expect(fence, .orphanedIdentifier)
        case .whenInUse:
            os.authorize(.whenInUse)
            record(.authorization(.whenInUse, isPrecise: nil))
            expect(fence, .authorization)
        case .imprecise:
            os.setPreciseLocation(false)
            record(.authorization(.always, isPrecise: false))
            expect(fence, .authorization)
        case .locationOff:
            os.setLocationServices(false)
            record(.locationServices(isEnabled: false))
            expect(fence, .locationOff)
        case .moved:
            var other = own
            other.circle.center = Self.place(position + 1000, 3000)
            start(other)
            expect(fence, .drifted)
        case .shrunk:
            // The road passes the smaller circle.
            var other = own
            other.circle.center = Self.place(position + 1000, 210)
            other.circle.radius = 110
            start(other)
            expect(fence, .drifted)
        case .silenced:
            os.deafen(own.id)
            expect(fence, .notificationOff)
        case .delayed:
            os.faults.next = [.delayReport(1500)]
            expect(fence, .throttled, kinds: [.enter])
        case .lost:
            os.faults.next = [.loseReport, .loseReport]
            // Android may take up to five minutes, and the car is through in one.
            expect(fence, profile.platform == .android ? .throttled : .unexplained, kinds: [.enter])
            expect(fence, .unexplained, kinds: [.exit])
        case .repeated: expect(fence, .duplicate, .false)
        case .movedOntoRoad:
            var other = own
            other.circle.center = Self.place(position + 1000)
            start(other)
            expect(fence, .drifted, .false)
        case .ghost:
            record(.transition(.enter, RegionID("picket/ghost-\(fence.id)")))
            expected.insert(
                Expected(geofence: "ghost-\(fence.id)", kind: .enter, outcome: .false, reason: .orphanedIdentifier))
        case .inaccurate:
            record(.transition(.enter, own.id), at: now + 60)
            record(.transition(.exit, own.id), at: now + 90)
            expect(fence, .nearBoundary, .false)
        case .logLost:
            isLogging = false
            // The car waits for two hours, during which the app logs nothing.
            for _ in 0..<12 {
                now = now + 600
                addFix()
            }
            expect(fence, .logGap)
        }
        recordRegions()
    }

    private mutating func undo(_ fault: Fault, _ fence: Geofence) {
        let own = region(of: fence)
        if fault == .repeated {
            for report in log.suffix(4) {
                if case .transition = report.content { record(report.content, at: report.at + 1) }
            }
        }
        if fault == .delayed {
            // The car waits until the report has come.
            for _ in 0..<160 {
                now = now + 10
                addFix()
            }
        }
        isLogging = true
        os.dropRegions([RegionID("picket/old-\(fence.id)")])
        if fault == .whenInUse || fault == .imprecise {
            os.authorize(.always)
            os.setPreciseLocation(true)
            record(.authorization(.always, isPrecise: true))
        }
        if fault == .locationOff {
            os.setLocationServices(true)
            record(.locationServices(isEnabled: true))
        }
        // The app registers again what it does not find.
        let held = Set(os.regions.map(\.id))
        for fence in geofences where !held.contains(RegionID(geofence: fence.id)) { start(region(of: fence)) }
        if fault != .none { start(own) }
        recordRegions()
    }
}
