import Model
import Registry
import TestSupport
import Testing

@testable import SimulatedOS

@Suite struct RepeatabilityTests {
    /// Simulates random events. Returns the reports and the results of the calls as text, and the operating system's state at the end as
    /// JSON.
    ///
    /// - Parameter saves: The number of steps after which the state is saved and read again each time; nil for never.
    static func simulate(seed: UInt64, saves: Int?) throws -> (log: [String], json: String) {
        var random = SeededRandom(seed: seed)
        var phone = Phone(ProfileVariantTests.profiles.randomElement(using: &random)!, seed: seed)
        phone.os.faults.chaos = .init(rate: 0.2, misfortunes: 0.2)
        if phone.os.profile.platform == .ios { phone.os.policies.reboot = phone.os.profile.reboot.randomElement(using: &random)! }
        var log: [String] = []
        for step in 1...120 {
            if let saves, step % saves == 0 {
                phone.os = try SimulatedOS(json: JSONParser.parse(phone.os.json.description))
            }
            let name = "f\(Int.random(in: 0..<30, using: &random))"
            switch Int.random(in: 0..<14, using: &random) {
            case 0...3:
                let region = Phone.region(
                    name, radius: .random(in: 50...800, using: &random), east: .random(in: -3000...3000, using: &random))
                log.append("start \(phone.start(region) ?? 0)")
            case 4:
                try phone.os.stopMonitoring(RegionID(geofence: name))
            case 5:
                let state = try? phone.os.requestState(RegionID(geofence: name))
                log.append("state \(state?.rawValue ?? "-")")
            case 6: phone.os.reboot()
            case 7: phone.os.authorize(Authorization.allCases.randomElement(using: &random)!)
            case 8: phone.os.authorize(.always)
            case 9: phone.os.setLocationServices(Bool.random(using: &random))
            default:
                log += phone.observe(.random(in: -3000...3000, using: &random), at: Double(step) * 15)
            }
            #expect(phone.os.regions.count <= phone.os.profile.limit || phone.os.profile.listsRegionsOverLimit)
            let snapshot = try? phone.os.snapshot()
            log.append("\(snapshot?.regions?.count ?? -1) \(phone.os.regions.count)")
        }
        return (log, phone.os.json.description)
    }

    @Test func sameSeedGivesTheSameHistory() throws {
        for seed in Histories.seeds(0...49) {
            let first = try Self.simulate(seed: seed, saves: nil)
            let second = try Self.simulate(seed: seed, saves: nil)
            #expect(first == second, "seed \(seed)")
        }
    }

    @Test func savingAndLoadingChangesNothing() throws {
        for seed in Histories.seeds(0...49) {
            let once = try Self.simulate(seed: seed, saves: nil)
            let saved = try Self.simulate(seed: seed, saves: 1 + Int(seed % 7))
            #expect(once == saved, "seed \(seed)")
        }
    }

    @Test func invalidSavedStateIsRefused() throws {
        let good = Phone(.ios).os.json
        for field in ["version", "platform", "limit", "now", "dice", "settings", "policies", "faults"] {
            let bad = JSONValue.object((good.members ?? []).filter { $0.name != field })
            #expect(throws: Problem.self, "without \(field)") { try SimulatedOS(json: bad) }
        }
        let later = JSONValue.object((good.members ?? []).map { $0.name == "version" ? .init("version", JSONValue(99)) : $0 })
        #expect(throws: Problem.self) { try SimulatedOS(json: later) }
    }
}

@Suite struct SimulatedRegistryTests {
    @Test func sleepingAdvancesTheClockAndNotifiesEverySubscriber() async throws {
        let registry = SimulatedRegistry(SimulatedOS(.ios, seed: 3, at: Phone.noon))
        let first = await registry.reports
        let second = await registry.reports
        await registry.change { $0.observe(Fix(time: Phone.noon, coordinate: Phone.place(500))) }
        try await registry.startMonitoring(Phone.region())
        await registry.change { $0.observe(Fix(time: Phone.at(10), coordinate: Phone.home)) }
        try await registry.sleep(until: Phone.at(30))
        #expect(await registry.now == Phone.at(30))
        for stream in [first, second] {
            var reports = stream.makeAsyncIterator()
            #expect(await reports.next()?.kind == .entered)
        }
        #expect(try await registry.requestState(RegionID(geofence: "home")) == .inside)
        try await registry.stopMonitoring(RegionID(geofence: "home"))
        #expect(try await registry.snapshot().regions == [])
    }
}
