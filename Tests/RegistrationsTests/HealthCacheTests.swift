import Foundation
import Geodesy
import Model
import Settings
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Registrations
@testable import Service

@Suite("The health of all devices in numbers", .timeLimit(.minutes(60)))
struct HealthCacheTests {
    /// A running writer with readers, and a clock that the test sets.
    private final class Service {
        let directory: TemporaryDirectory
        let clock = TestClock(time: Instant("2026-11-20T12:00:00Z")!)
        let writer: Writer
        let readers: Readers

        init() throws {
            directory = try TemporaryDirectory()
            let data = DataDirectory(path: directory.path + "/data")
            let writer = try Writer(data, purpose: "test", durability: .normal, clock: clock)
            self.writer = writer
            readers = Readers(
                data, count: 1, candidateCache: writer.candidateCache, health: writer.health, phones: writer.phones,
                clock: clock, settle: { writer.writeDerivedData($0) })
        }

        deinit {
            readers.stop()
            writer.stop()
        }

        func edit(_ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Void) async throws {
            try await writer.perform(body)
        }

        /// The totals from the cache and by an assessment of all devices, and how many devices the first have assessed.
        func totals() async throws -> (cached: Queries.HealthTotals, fresh: Queries.HealthTotals, assessed: Int) {
            try await readers.ask { service throws(Problem) in
                var assessed = 0
                let cached = try service.healthTotals { _, _, status in if status != nil { assessed += 1 } }
                let cache = service.healthCache.take()
                defer { service.healthCache = cache }
                return (cached, try service.healthTotals(), assessed)
            }
        }
    }

    private static let home = Coordinate(latitude: 52.5, longitude: 13.4)

    private static func geofence(_ number: Int, meters: Double, isActive: Bool = true) -> Geofence {
        Geofence(
            id: "g\(number)", name: "G \(number)", shape: .circle(Circle(center: home.north(meters), radius: 120)),
            isActive: isActive)
    }

    private static func batch(_ device: String, _ meters: Double, at time: Instant) -> FixBatch {
        var batch = FixBatch()
        let number = batch.number(ofDevice: device)
        batch.rows = [.init(fix: Fix(time: time, coordinate: home.north(meters), accuracy: 5), device: number, line: 1)]
        return batch
    }

    /// A report of an app about some regions.
    private static func report(_ count: Int, at time: Instant, authorization: String) -> JSONValue {
        let regions = (0..<count).map { number -> JSONValue in
            let center = home.north(Double(number) * 400)
            return [
                "identifier": .string("picket/g\(number)"), "latitude": JSONValue(center.latitude),
                "longitude": JSONValue(center.longitude),
                "radius": JSONValue(120),
            ]
        }
        return [
            "regions": .array(regions), "authorizationStatus": .string(authorization), "reportedAt": .string(time.description),
        ]
    }

    @Test("All devices of a survey are assessed with the same geofences, even if others are created meanwhile")
    func heldGeofences() async throws {
        let service = try Service()
        for number in 0..<3 {
            let fence = Self.geofence(number, meters: Double(number) * 400)
            let report = Self.report(1, at: service.clock.now(), authorization: "always")
            try await service.edit { service throws(Problem) in
                _ = try service.apply([.save(fence)])
                try service.save(Device(id: "d\(number)", platform: .ios, registry: .app))
                _ = try service.storeReport(report, of: "d\(number)")
            }
        }
        let writer = service.writer
        func savedCounts(adding numbers: [Int]) async throws -> [Int] {
            try await service.readers.ask { service throws(Problem) in
                var (counts, left) = ([Int](), numbers)
                _ = try service.healthTotals { _, _, status throws(Problem) in
                    counts.append(status?.savedCount ?? -1)
                    if left.isEmpty { return }
                    let fence = Self.geofence(left.removeFirst(), meters: 5000)
                    let done = DispatchSemaphore(value: 0)
                    let isTaken = writer.submit({ service throws(Problem) in _ = try service.apply([.save(fence)]) }) { _ in
                        done.signal()
                    }
                    if isTaken { done.wait() }
                }
                return counts
            }
        }
        #expect(try await savedCounts(adding: [3, 4, 5]) == [3, 3, 3])
        #expect(try await savedCounts(adding: []) == [6, 6, 6])
    }

    @Test("The numbers equal those of a fresh assessment, regardless of what has changed", arguments: Histories.seeds(1...6))
    func equal(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let service = try Service()
        for number in 0..<4 {
            let fence = Self.geofence(number, meters: Double(number) * 400)
            try await service.edit { service throws(Problem) in _ = try service.apply([.save(fence)]) }
        }
        let kinds: [(Device.Platform, Device.Registry)] = [
            (.ios, .app), (.ios, .simulated), (.android, .simulated), (.ios, .owntracks),
        ]
        for number in 0..<8 {
            let kind = kinds[number % 4]
            try await service.edit { service throws(Problem) in
                try service.save(Device(id: "d\(number)", platform: kind.0, registry: kind.1))
            }
        }
        for step in 0..<60 {
            let now = service.clock.now() + [1.0, 30, 400, 3600, 90_000].randomElement(using: &random)!
            service.clock.set(now)
            let number = Int.random(in: 0..<8, using: &random)
            let meters = Double.random(in: -300...1700, using: &random)
            switch Int.random(in: 0..<9, using: &random) {
            case 0, 1, 2:
                let batch = Self.batch("d\(number)", meters, at: now)
                await withCheckedContinuation { done in if !service.writer.submit(batch, { _ in done.resume() }) { done.resume() }
                }
            case 3:
                let report = Self.report(
                    Int.random(in: 0...4, using: &random), at: now,
                    authorization: ["always", "always", "whenInUse"].randomElement(using: &random)!)
                try await service.edit { service throws(Problem) in
                    if try service.device(id: "d\(number)").registry == .app {
                        _ = try service.storeReport(report, of: "d\(number)")
                    }
                }
            case 4:
                let fence = Self.geofence(
                    Int.random(in: 0..<5, using: &random), meters: meters, isActive: Int.random(in: 0..<4, using: &random) > 0)
                try await service.edit { service throws(Problem) in _ = try service.apply([.save(fence)]) }
            case 5:
                let late = Self.batch("d\(number)", meters, at: now + -Double.random(in: 1...900, using: &random).rounded())
                await withCheckedContinuation { done in if !service.writer.submit(late, { _ in done.resume() }) { done.resume() }
                }
            case 6:
                let device = Device(id: "d\(number)", platform: kinds[number % 4].0, registry: kinds[number % 4].1)
                let actions: [JSONValue] = [
                    ["action": "location", "enabled": .bool(Bool.random(using: &random))], ["action": "reboot"],
                    ["action": "authorize", "status": .string(Bool.random(using: &random) ? "always" : "whenInUse")],
                    ["action": "drop", "count": JSONValue(2)],
                ]
                let action = try SimulatedAction(json: actions.randomElement(using: &random)!)
                if device.registry == .simulated { try await service.writer.phones.simulate(action, on: device, at: now) }
            case 7: try await service.edit { service throws(Problem) in _ = try service.fireDeadlines(upTo: now) }
            default:
                let groups = Bool.random(using: &random) ? ["family"] : []
                try await service.edit { service throws(Problem) in
                    var device = try service.device(id: "d\(number)")
                    device.groups = groups
                    try service.save(device)
                }
            }
            let totals = try await service.totals()
            #expect(totals.cached == totals.fresh, "seed \(seed), step \(step)")
        }
    }

    @Test("Devices of which nothing has changed are not assessed again, and a stale report is noticed by time alone")
    func unchanged() async throws {
        let service = try Service()
        let now = service.clock.now()
        for number in 0..<20 {
            let report = Self.report(0, at: now, authorization: "always")
            try await service.edit { service throws(Problem) in
                try service.save(Device(id: "d\(number)", platform: .ios, registry: .app))
                _ = try service.storeReport(report, of: "d\(number)")
            }
        }
        #expect(try await service.totals().assessed == 20)
        #expect(try await service.totals().assessed == 0)
        service.clock.set(now + 60)
        let batch = Self.batch("d3", 0, at: now + 60)
        await withCheckedContinuation { done in if !service.writer.submit(batch, { _ in done.resume() }) { done.resume() } }
        #expect(try await service.totals().assessed == 1)
        service.clock.set(now + Settings.usualAppReportMaxAge + 1)
        let late = try await service.totals()
        #expect(late.cached.stale == 20 && late.cached == late.fresh && late.assessed == 20)
        #expect(try await service.totals().assessed == 0)
    }
}

extension Coordinate {
    fileprivate func north(_ meters: Double) -> Coordinate {
        Coordinate(latitude: latitude + meters / 111_000, longitude: longitude)
    }
}
