import Geodesy
import Model
import Registry
import SimulatedOS
import TestSupport
import Testing

@testable import Reconciler

extension ManualClock: RegistryClock {}

/// A journal in memory that can be made to fail.
actor MemoryJournal: RepairJournal {
    var journal = RegistryJournal()
    var failure: Problem?

    func fail(with problem: Problem?) { failure = problem }
    func load() throws -> RegistryJournal { journal }
    func save(_ journal: RegistryJournal) throws {
        if let failure { throw failure }
        self.journal = journal
    }
}

@Suite struct RepairRunTests {
    static func run(_ world: World, _ registry: SimulatedRegistry, _ journal: MemoryJournal) -> RepairRun {
        RepairRun(world.context, world.candidates, registry: registry, journal: journal, clock: registry)
    }

    @Test(arguments: [PlatformProfile.ios, .android])
    func runRepairsRegistryAndSecondRunMakesNoCall(_ profile: PlatformProfile) async throws {
        var world = RepairTests.worldWithFiveFences(profile)
        world.os.faults.chaos = .init(rate: 0.2)
        let registry = SimulatedRegistry(world.os)
        let journal = MemoryJournal()
        let run = Self.run(world, registry, journal)
        var random = SeededRandom(seed: 7)
        let report = try await run.run(using: &random) { _ in }
        #expect(report.after.isManaged)
        await registry.change { $0.faults.chaos = nil }
        _ = try await run.run(using: &random) { _ in }
        let last = try await run.run(using: &random) { _ in }
        #expect(last.callCount == 0)
        #expect(last.isComplete)
        #expect(try await run.assess().plan.isEmpty)
    }

    @Test func noCallIsMadeWhenTheJournalCannotBeWritten() async throws {
        let world = RepairTests.worldWithFiveFences()
        let registry = SimulatedRegistry(world.os)
        let journal = MemoryJournal()
        await journal.fail(with: .storeFull(path: "/data"))
        var random = SeededRandom(seed: 7)
        await #expect(throws: Problem.storeFull(path: "/data")) {
            try await Self.run(world, registry, journal).run(using: &random) { _ in }
        }
        #expect(await registry.state.regions.isEmpty)
    }

    @Test func statesAreReturnedAgainWhenRecordingThemFailed() async throws {
        var world = RepairTests.worldWithFiveFences()
        world.fences.append(World.fence("here", 0))
        let registry = SimulatedRegistry(world.os)
        let journal = MemoryJournal()
        var random = SeededRandom(seed: 7)
        // Recording the states fails in the first run, so the second run passes them on again.
        await #expect(throws: Problem.cancelled) {
            try await Self.run(world, registry, journal).run(using: &random) { _ in throw Problem.cancelled }
        }
        var confirmed: [String] = []
        let report = try await Self.run(world, registry, journal).run(using: &random) { confirmed += $0.map(\.geofenceID) }
        #expect(confirmed == ["here"])
        #expect(report.steps.allSatisfy { $0.operation.verb == "requestState" })
    }

    @Test func canceledRunStopsAndTheNextFinishes() async throws {
        let world = RepairTests.worldWithFiveFences()
        let registry = SimulatedRegistry(world.os)
        let journal = MemoryJournal()
        let task = Task {
            var random = SeededRandom(seed: 7)
            return try await Self.run(world, registry, journal).run(using: &random) { _ in }
        }
        task.cancel()
        _ = await task.result
        var random = SeededRandom(seed: 8)
        let report = try await Self.run(world, registry, journal).run(using: &random) { _ in }
        #expect(report.isComplete)
    }

    @Test func runWaitsOnItsOwnClock() async throws {
        let world = RepairTests.worldWithFiveFences(.android)
        let registry = SimulatedRegistry(world.os)
        await registry.change { $0.faults.next = [.refuse(.requestTooFrequent), .refuse(.requestTooFrequent)] }
        let clock = ManualClock(World.noon + 60)
        let run = RepairRun(world.context, world.candidates, registry: registry, journal: MemoryJournal(), clock: clock)
        var random = SeededRandom(seed: 7)
        #expect(try await run.run(using: &random) { _ in }.isComplete)
        #expect(await clock.now - (World.noon + 60) >= 2)
    }
}

@Suite struct RegistryJournalTests {
    @Test func journalIsUnchangedAfterWritingAndReading() throws {
        var journal = RegistryJournal()
        let region = Region(id: RegionID(geofence: "a"), circle: Circle(center: World.home, radius: 200))
        journal.entries[region.id] = .init(
            region: region, name: "A", phase: .starting, at: World.noon, previous: region, isStateKnown: false)
        journal.reportedStates[region.id] = .init(state: .inside, at: World.noon)
        journal.alternatives[region.id] = .init(wanted: Circle(center: World.home, radius: 100), region: region)
        journal.capacity = .init(count: 7, at: World.noon)
        journal.refusals[region.id] = .init(error: RegistryError(.insufficientLocationPermission), at: World.noon)
        journal.isDistrusted = true
        #expect(try RegistryJournal(json: JSONParser.parse(journal.json.description)) == journal)
        #expect(throws: Problem.self) { try RegistryJournal(json: ["version": JSONValue(2)]) }
        #expect(throws: Problem.self) { try RegistryJournal(json: ["version": JSONValue(1), "entries": [["name": "x"]]]) }
    }

    @Test(arguments: [
        (RegistrySnapshot.Disruption.reboot, JournalConfidence.gone(.reboot)), (.reinstall, .gone(.reinstall)),
        (.dataCleared, .gone(.dataCleared)),
        (.locationOff, .gone(.locationOff)), (.permissionRevoked, .gone(.permissionRevoked)), (.update, .doubtful(.update)),
        (.forceStop, .doubtful(.forceStop)),
    ])
    func onAndroidADisruptionCostsItsTrust(_ disruption: RegistrySnapshot.Disruption, _ trust: JournalConfidence) {
        let region = Region(id: RegionID(geofence: "a"), circle: Circle(center: World.home, radius: 200))
        let entry = RegistryJournal.Registration(region: region, name: "A", at: World.noon)
        func evaluated(_ at: Instant) -> JournalConfidence {
            JournalConfidence(
                of: entry, reported: nil, RegistrySnapshot(takenAt: World.noon + 60, disruptions: [disruption: at]), .android)
        }
        #expect(evaluated(World.noon + 30) == trust)
        #expect(evaluated(World.noon + -30) == .sure)
    }

    @Test func longSilenceAlsoReducesConfidence() {
        let region = Region(id: RegionID(geofence: "a"), circle: Circle(center: World.home, radius: 200))
        let entry = RegistryJournal.Registration(region: region, name: "A", at: World.noon)
        let late = RegistrySnapshot(takenAt: World.noon + RegistryJournal.trustPeriod + 1)
        #expect(JournalConfidence(of: entry, reported: nil, late, .android) == .doubtful(nil))
        #expect(JournalConfidence(of: entry, reported: .init(state: .inside, at: World.noon + 100), late, .android) == .sure)
    }
}
