import Foundation
import Geodesy
import GeofenceRepair
import Model
import PicketModel
import Reconciler
import Registry
import SimulatedLocations

/// A phone loses a region, and the app repairs it.
struct RepairStory {
    private(set) var lines: [String] = []

    @MainActor
    static func run(in folder: URL) async throws -> [String] {
        var story = RepairStory()
        let clock = SimulatedClock(Instant(milliseconds: 1_777_874_400_000))
        let phone = SimulatedLocationManager(clock: clock)
        let places = [
            Place(id: "home", name: "Home", latitude: 52.5163, longitude: 13.3777, radius: 150),
            Place(id: "work", name: "Work", latitude: 52.5301, longitude: 13.4101, radius: 200),
        ]
        let app = AppGeofences(
            phone, places: places, journal: FileJournal(folder.appendingPathComponent("registrations.json")), clock: clock
        ) { _, _ in }

        story.write("The app is new:", try await app.monitor.health())
        story.write(try await app.repair(places: places))

        phone.lose(RegionID(geofence: "work"))
        story.write("iOS has lost a region:", try await app.monitor.health())
        story.write(try await app.repair(places: places))
        story.write(try await app.repair(places: places))
        return story.lines
    }

    private mutating func write(_ title: String, _ health: GeofenceHealthStatus) {
        lines.append("\(title) \(health.statusSummary)")
        for finding in health.findings {
            lines.append("  \(finding.kind) \(finding.name ?? "this phone"): \(finding.words(.ios)) → \(finding.recoveryAction)")
        }
    }

    private mutating func write(_ report: RepairOutcome) {
        lines.append("\(report.callCount) calls, then: \(report.after.statusSummary)")
        for step in report.steps { lines.append("  \(step.operation.verb) \(step.operation.name): \(step.outcome)") }
    }
}
