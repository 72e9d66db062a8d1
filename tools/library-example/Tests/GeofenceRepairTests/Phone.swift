import Foundation
import Geodesy
import GeofenceRepair
import Model
import PicketModel
import Registry
import SimulatedLocations

/// A phone with the app, in a folder that is removed afterward.
@MainActor
final class Phone {
    let clock = SimulatedClock(Instant(milliseconds: 1_777_874_400_000))
    let os: SimulatedLocationManager
    let folder: URL
    let journal: FileJournal
    private(set) var registry: CoreLocationRegistry
    private(set) var app: GeofenceMonitor

    static let home = Place(id: "home", name: "Home", latitude: 52.5163, longitude: 13.3777, radius: 150)
    static let work = Place(id: "work", name: "Work", latitude: 52.5301, longitude: 13.4101, radius: 200)

    init(places: [Place]) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("GeofenceRepairTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        journal = FileJournal(folder.appendingPathComponent("journal.json"))
        os = SimulatedLocationManager(clock: clock)
        registry = CoreLocationRegistry(os, clock: clock)
        app = GeofenceMonitor(places: places, registry: registry, journal: journal, clock: clock)
    }

    /// The operating system ends the app and starts it again.
    func restartApp(places: [Place]) {
        registry = CoreLocationRegistry(os, clock: clock)
        app = GeofenceMonitor(places: places, registry: registry, journal: journal, clock: clock)
    }

    func remove() throws { try FileManager.default.removeItem(at: folder) }
}

/// Runs a test with a phone whose app has these places.
@MainActor
func withPhone(_ places: [Place] = [], _ body: @MainActor (Phone) async throws -> Void) async throws {
    let phone = try Phone(places: places)
    do {
        try await body(phone)
    } catch {
        try phone.remove()
        throw error
    }
    try phone.remove()
}
