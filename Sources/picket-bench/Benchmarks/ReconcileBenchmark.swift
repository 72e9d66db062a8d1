import Core
import Foundation
import Geodesy
import Model
import Reconciler
import Registry
import ToolSupport

/// Measures how long the assessment of registrations and the planning of repairs take, on snapshots in memory.
struct ReconcileBenchmark {
    let bench: Benchmark

    /// 100,000 circles of 100 to 500 m over one degree by one degree, all of which apply to every device.
    private static let fences = 100_000
    private static let devices = 10_000

    func run() {
        var random = SplitMix64(state: 3)
        let fences = (0..<Self.fences).map { number in
            Geofence(
                id: "fence-\(number)", name: "Fence \(number)",
                shape: .circle(
                    Circle(
                        center: Coordinate(latitude: random.unit(), longitude: random.unit()), radius: 100 + 400 * random.unit())
                ))
        }
        bench.printText("reconcile: \(Format.number(Self.fences)) geofences, an iPhone with 20 slots")
        let start = ContinuousClock.now
        let candidates = RegionCandidates(fences, profile: .ios)
        printDuration("catalog", since: start, text: "to build the candidates, once a revision of the fences")

        // Each phone registers the regions that its plan selects around its position.
        let now = Instant(milliseconds: 1_767_225_600_000)
        var phones: [(DeviceContext, RegistrySnapshot)] = []
        var worst = 0.0
        var total = 0.0
        for number in 0..<Self.devices {
            let fix = Fix(time: now, coordinate: Coordinate(latitude: random.unit(), longitude: random.unit()), accuracy: 10)
            let context = DeviceContext(
                device: Device(id: "phone-\(number)", platform: .ios, registry: .simulated), fixes: [fix])
            let begin = ContinuousClock.now
            let plan = Assessment(
                of: RegistrySnapshot(takenAt: now, regions: []), in: context, candidates: candidates, journal: RegistryJournal()
            ).plan
            let seconds = self.seconds(since: begin)
            worst = max(worst, seconds)
            total += seconds
            let regions = plan.compactMap { operation -> Region? in
                if case .start(let region) = operation.kind { region } else { nil }
            }
            phones.append((context, RegistrySnapshot(takenAt: now + 60, regions: regions)))
        }
        printResult(
            "plan", seconds: total / Double(Self.devices),
            text: "for the plan of one device (the worst of 10,000: \(milliseconds(worst)) ms)")

        let pass = ContinuousClock.now
        var healthy = 0
        for (context, snapshot) in phones {
            let status = GeofenceHealthStatus(
                Assessment(of: snapshot, in: context, candidates: candidates, journal: RegistryJournal()))
            if status.isHealthy == true { healthy += 1 }
        }
        printDuration(
            "health", since: pass,
            text: "for the health of 10,000 devices with 20 regions each (\(Format.number(healthy)) healthy)")
    }

    private func seconds(since start: ContinuousClock.Instant) -> Double { (ContinuousClock.now - start).seconds }

    private func milliseconds(_ seconds: Double) -> String { Format.decimal(seconds * 1000, seconds < 0.01 ? 3 : 0) }

    private func printDuration(_ name: String, since start: ContinuousClock.Instant, text what: String) {
        printResult(name, seconds: seconds(since: start), text: what)
    }

    private func printResult(_ name: String, seconds: Double, text what: String) {
        bench.printResult(
            "reconcile", members: [("part", .string(name)), ("seconds", JSONValue((seconds * 1e7).rounded() / 1e7))],
            text: "  \(milliseconds(seconds).leading(8)) ms \(what)")
    }
}
