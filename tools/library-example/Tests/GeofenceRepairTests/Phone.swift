import Foundation
import Geodesy
import GeofenceRepair
import Model
import PicketModel
import Registry
import SimulatedLocations

/// A phone with the app, in a folder that is removed afterwards.
@MainActor
final class Phone {
    let clock = SimulatedClock(Instant(milliseconds: 1_777_874_400_000))
    let os: SimulatedLocationManager
    let folder: URL
    private(set) var registry: CoreLocationRegistry
    private(set) var app: GeofenceMonitor

    static let home = Place(id: "home", name: "Home", latitude: 52.5163, longitude: 13.3777, radius: 150)
    static let work = Place(id: "work", name: "Work", latitude: 52.5301, longitude: 13.4101, radius: 200)

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("GeofenceRepairTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        os = SimulatedLocationManager(clock: clock)
        registry = CoreLocationRegistry(os, clock: clock)
        app = GeofenceMonitor(
            registry: registry, journal: FileJournal(folder.appendingPathComponent("journal.json")), clock: clock)
    }

    var journal: FileJournal { FileJournal(folder.appendingPathComponent("journal.json")) }

    /// The operating system ends the app and starts it again.
    func restartApp() {
        registry = CoreLocationRegistry(os, clock: clock)
        app = GeofenceMonitor(registry: registry, journal: journal, clock: clock)
    }

    func remove() throws { try FileManager.default.removeItem(at: folder) }
}

/// Runs a test with a phone.
@MainActor
func withPhone(_ body: @MainActor (Phone) async throws -> Void) async throws {
    let phone = try Phone()
    do {
        try await body(phone)
    } catch {
        try phone.remove()
        throw error
    }
    try phone.remove()
}
