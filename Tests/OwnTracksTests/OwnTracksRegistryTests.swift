import Geodesy
import Model
import Reconciler
import Registry
import Synchronization
import TestSupport
import Testing

@testable import OwnTracks

/// A phone whose app answers at once, with everything that the registry stores about it in memory.
private final class DirectPhone: WaypointPhone {
    private struct State {
        var numbers: [RegionID: Int] = [:]
        var unfinished: [JSONValue]?
        var calls = 0
        /// The number of the call from which on calls fail, as if Picket had been killed at that time; nil if none fails.
        var failure: Int?
        /// The maximum number of waypoints that the app had at a time.
        var greatestCount = 0
    }

    let app: OwnTracksApp
    private let state = Mutex(State())

    init(_ app: OwnTracksApp) { self.app = app }

    var failure: Int? {
        get { state.withLock { $0.failure } }
        set { state.withLock { ($0.failure, $0.calls) = (newValue, 0) } }
    }
    var greatestCount: Int { state.withLock { $0.greatestCount } }
    var isUnfinished: Bool { state.withLock { $0.unfinished != nil } }

    func list(after commands: [JSONValue]) throws(RegistryError) -> WaypointReport {
        let sent = app.receiveCommands(commands + [OwnTracksCommand.waypoints])
        let count = app.waypoints.count
        let isOver = state.withLock { state in
            state.calls += 1
            state.greatestCount = max(state.greatestCount, count)
            return state.failure.map { state.calls >= $0 } ?? false
        }
        guard !isOver, let answer = sent.last else { throw RegistryError(.unavailable) }
        let list = WaypointList(answer.json["waypoints"]?.array ?? [])
        do throws(Problem) {
            let regions = state.withLock { Dictionary(uniqueKeysWithValues: $0.numbers.map { ($0.value, $0.key) }) }
            let entries = try list.entries(app.platform) { regions[$0] }
            return WaypointReport(
                all: list.waypoints, entries: entries,
                snapshot: RegistrySnapshot(takenAt: OwnTracksRegistryTests.now, regions: entries.map(\.region)))
        } catch {
            throw RegistryError(.unavailable)
        }
    }

    func label(of id: RegionID) -> (number: Int, name: String) {
        state.withLock { state in
            let number = state.numbers[id] ?? state.numbers.count + 1
            state.numbers[id] = number
            return (number, "Fence \(id.shortText)")
        }
    }

    func unfinishedList() -> [JSONValue]? { state.withLock { $0.unfinished } }
    func save(unfinished list: [JSONValue]?) { state.withLock { $0.unfinished = list } }
}

private actor MemoryJournal: RepairJournal {
    private var journal = RegistryJournal()

    func load() -> RegistryJournal { journal }
    func save(_ journal: RegistryJournal) { self.journal = journal }
}

@Suite("OwnTracks registry")
struct OwnTracksRegistryTests {
    static let now = Instant(milliseconds: 1_777_629_600_000)

    /// The waypoints that the person has created. On Android they have no `rid`.
    private static func own(_ platform: Device.Platform) -> [JSONValue] {
        platform == .ios ? made : made.map { .object(($0.members ?? []).filter { $0.name != "rid" }) }
    }

    private static let made: [JSONValue] = [
        [
            "_type": "waypoint", "desc": "Mine", "lat": JSONValue(48.858222), "lon": JSONValue(2.2945), "rad": JSONValue(120),
            "tst": JSONValue(1_777_000_000), "rid": "6da9cf", "note": "kept as it is",
        ],
        [
            "_type": "waypoint", "desc": "A place", "lat": JSONValue(48), "lon": JSONValue(2), "rad": JSONValue(0),
            "tst": JSONValue(1_777_000_001), "rid": "6da9d0",
        ],
        [
            "_type": "waypoint", "desc": "+follow", "lat": JSONValue(48), "lon": JSONValue(2), "rad": JSONValue(50),
            "tst": JSONValue(1_777_000_002), "rid": "f",
        ],
    ]

    private static func fence(_ number: Int, _ radius: Double = 150) -> Geofence {
        let center = Coordinate(latitude: 52.123_456_4 + Double(number) / 100, longitude: 13.987_654_6)
        return Geofence(id: "f\(number)", name: "Fence", shape: .circle(Circle(center: center, radius: radius)))
    }

    private func repair(
        _ phone: DirectPhone, _ fences: [Geofence], _ journal: MemoryJournal
    ) async throws -> RepairOutcome {
        let registry = OwnTracksRegistry(phone.app.platform, phone: phone) { Self.now }
        let device = Device(id: "jane/phone", platform: phone.app.platform, registry: .owntracks)
        let run = RepairRun(
            DeviceContext(device: device), RegionCandidates(fences, profile: registry.profile), registry: registry,
            journal: journal,
            clock: registry)
        var random = SeededRandom(seed: 1)
        return try await run.run(using: &random) { _ in }
    }

    /// The names of the waypoints that belong to Picket; in these tests, those that start with "Fence ".
    private func ours(_ app: OwnTracksApp) -> [String] { app.names.filter { $0.hasPrefix("Fence ") }.sorted() }
    /// The waypoints that the person has created, as the app has them now.
    private func persons(_ app: OwnTracksApp) -> [JSONValue] {
        app.waypoints.filter { !($0["desc"]?.string ?? "").hasPrefix("Fence ") }
    }

    @Test(
        "A repair corrects missing, wrong and orphaned waypoints with one command, and the next repair sends none",
        arguments: Device.Platform.allCases)
    func once(_ platform: Device.Platform) async throws {
        let (app, journal) = (OwnTracksApp(platform, Self.own(platform)), MemoryJournal())
        let phone = DirectPhone(app)
        let first = try await repair(phone, [Self.fence(1), Self.fence(2), Self.fence(3, 99.6)], journal)
        #expect(first.isComplete && first.callCount == 3, "\(first.json)")
        #expect(ours(app) == ["Fence f1", "Fence f2", "Fence f3"])
        #expect(app.commands.count { $0["action"]?.string == "setWaypoints" } == 1)
        #expect(app.waypoints[3]["lat"]?.double == 52.133456 && app.waypoints[5]["rad"]?.double == 100)
        #expect(try await repair(phone, [Self.fence(1), Self.fence(2), Self.fence(3, 99.6)], journal).callCount == 0)

        // One geofence is removed, one has a larger radius, one is new.
        let second = try await repair(phone, [Self.fence(1, 300), Self.fence(2), Self.fence(4)], journal)
        #expect(second.isComplete, "\(second.json)")
        #expect(ours(app) == ["Fence f1", "Fence f2", "Fence f4"])
        #expect(app.waypoints.first { $0["desc"]?.string == "Fence f1" }?["rad"]?.double == 300)
        #expect(app.commands.contains { $0["action"]?.string == "clearWaypoints" } == (platform == .android))
        #expect(try await repair(phone, [Self.fence(1, 300), Self.fence(2), Self.fence(4)], journal).callCount == 0)
        // The person's waypoints are unchanged.
        #expect(Set(persons(app)) == Set(Self.own(platform)))
    }

    @Test("A waypoint that the person removed in the app is noticed and restored", arguments: Device.Platform.allCases)
    func removedInApp(_ platform: Device.Platform) async throws {
        let (app, journal) = (OwnTracksApp(platform, Self.own(platform)), MemoryJournal())
        let phone = DirectPhone(app)
        let fences = (1...5).map { Self.fence($0) }
        _ = try await repair(phone, fences, journal)
        app.waypoints.removeAll { $0["desc"]?.string == "Fence f2" }
        let report = try await repair(phone, fences, journal)
        #expect(report.before.missingFromOS == ["f2"] && report.isComplete && report.callCount == 1)
    }

    @Test("On iOS, the registry leaves room for the follow region and for the person's own waypoints")
    func limit() async throws {
        let app = OwnTracksApp(.ios, Self.own(.ios))
        let phone = DirectPhone(app)
        let report = try await repair(phone, (1...30).map { Self.fence($0) }, MemoryJournal())
        // The limit of 20, minus the region that follows the phone, minus the person's own.
        #expect(ours(app).count == 18)
        #expect(report.after.isHealthy == true && report.after.overBudgetCount == 12)
        #expect(persons(app) == Self.own(.ios))
    }

    @Test("Without permission to send commands, the registry is unavailable and unchanged", arguments: Device.Platform.allCases)
    func silent(_ platform: Device.Platform) async throws {
        let app = OwnTracksApp(platform, Self.own(platform))
        app.allowsCommands = false
        let report = try await repair(DirectPhone(app), [Self.fence(1)], MemoryJournal())
        #expect(report.after.isHealthy == nil && report.after.problem?.code == "registryUnavailable")
        #expect(app.waypoints == Self.own(platform))
    }

    @Test(
        "An interrupted repair loses none of the person's waypoints, and later repairs end in the same state", arguments: 0..<200)
    func interrupted(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let platform: Device.Platform = Bool.random(using: &random) ? .ios : .android
        let (app, journal) = (OwnTracksApp(platform, Self.own(platform)), MemoryJournal())
        let phone = DirectPhone(app)
        var fences: [Geofence] = []
        for _ in 0..<6 {
            fences = (1...15).filter { _ in Bool.random(using: &random) }
                .map { Self.fence($0, Bool.random(using: &random) ? 150 : 250) }
            if Bool.random(using: &random), let gone = ours(app).randomElement(using: &random) {
                app.waypoints.removeAll { $0["desc"]?.string == gone }
            }
            phone.failure = Bool.random(using: &random) ? Int.random(in: 1...4, using: &random) : nil
            _ = try await repair(phone, fences, journal)
        }
        phone.failure = nil
        let report = try await repair(phone, fences, journal)
        #expect(report.isComplete, "seed \(seed), \(platform): \(report.json())")
        #expect(ours(app) == fences.map { "Fence \($0.id)" }.sorted(), "seed \(seed), \(platform)")
        #expect(try await repair(phone, fences, journal).callCount == 0, "seed \(seed), \(platform)")
        #expect(!phone.isUnfinished && phone.greatestCount <= 15 + Self.made.count, "seed \(seed), \(platform)")
        #expect(Set(persons(app)) == Set(Self.own(platform)), "seed \(seed), \(platform)")
    }
}
