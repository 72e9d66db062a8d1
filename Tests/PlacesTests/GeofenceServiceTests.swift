import Foundation
import Geodesy
import Model
import ServiceTestSupport
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence
@testable import Service

@Suite("Service")
struct ServiceWriterTests {
    private let bench: Workbench
    private let home = Coordinate(latitude: 52.5, longitude: 13.4)

    init() throws { bench = try Workbench() }

    private func circle(_ id: String, radius: Double = 100, north: Double = 0) -> Geofence {
        Geofence(
            id: id, name: "Fence \(id)",
            shape: .circle(
                Circle(center: Coordinate(latitude: home.latitude + north / 111_000, longitude: home.longitude), radius: radius)))
    }

    /// A batch of fixes, given as seconds after ten o'clock and meters north of home.
    private func request(_ fixes: [(Double, Double)], device: String = "d") -> FixBatch {
        var batch = FixBatch()
        let number = batch.number(ofDevice: device)
        for (index, fix) in fixes.enumerated() {
            batch.rows.append(
                .init(
                    fix: Fix(
                        time: Instant("2026-05-01T10:00:00Z")! + fix.0,
                        coordinate: Coordinate(latitude: home.latitude + fix.1 / 111_000, longitude: home.longitude)),
                    device: number, line: index))
        }
        return batch
    }

    private func summaries(_ events: [Event]) -> [String] { events.map { "\($0.type) \($0.geofenceId ?? "-") \($0.cause)" } }

    @Test("The first position with a new device name creates the device")
    func unknownDevice() throws {
        #expect(try bench.service.accept(request([(0, 0)], device: "new one")).counts.accepted == 1)
        let device = try bench.service.device(id: "new one")
        #expect(device.registry == .none && device.platform == nil)
    }

    @Test("The fixes of one request are put in order of time")
    func order() throws {
        try bench.add([circle("a")])
        let result = try bench.service.accept(request([(20, 0), (0, 500), (10, 500)]), policy: .exact)
        #expect(result.counts.late == 0)
        #expect(summaries(result.events) == ["enter a moved"])
    }

    @Test("Late fixes are stored and marked, and repeated ones count as duplicates")
    func lateAndRepeated() throws {
        try bench.add([circle("a")])
        _ = try bench.service.accept(request([(100, 500)]), policy: .exact)
        let late = try bench.service.accept(request([(50, 0), (50, 0), (100, 500)]), policy: .exact)
        #expect(late.counts.late == 1 && late.counts.accepted == 1 && late.counts.duplicates == 2)
        #expect(late.events.isEmpty)
        #expect(try bench.service.totals().fixes == 2)
    }

    @Test("Fixes of one time at different places are different fixes")
    func sameTime() throws {
        try bench.add([circle("a")])
        let result = try bench.service.accept(request([(0, 500), (10, 0), (10, 500), (10, 0)]), policy: .exact)
        #expect(result.counts.accepted == 3 && result.counts.duplicates == 1)
        #expect(summaries(result.events) == ["enter a moved", "exit a moved"])
        #expect(Set(result.events.map(\.id)).count == 2)
    }

    @Test("A change of geofences gives enters and exits, and visits stay balanced")
    func changes() throws {
        _ = try bench.service.accept(request([(0, 0)]))
        #expect(
            summaries(try bench.service.apply([.save(circle("a")), .save(circle("b", north: 5000))])) == ["enter a fenceChanged"])
        var renamed = circle("a")
        renamed.name = "Another name"
        #expect(try bench.service.apply([.save(renamed)]).isEmpty)
        #expect(summaries(try bench.service.apply([.save(circle("a", north: 800))])) == ["exit a fenceChanged"])
        #expect(summaries(try bench.service.apply([.save(circle("a"))])) == ["enter a fenceChanged"])
        var inactive = circle("a")
        inactive.isActive = false
        #expect(summaries(try bench.service.apply([.save(inactive)])) == ["exit a fenceChanged"])
        #expect(summaries(try bench.service.apply([.save(circle("a"))])) == ["enter a fenceChanged"])
        #expect(summaries(try bench.service.apply([.remove(id: "a")])) == ["exit a fenceRemoved"])
        let names = try bench.events().map(\.geofenceName)
        #expect(names.last == "Fence a")
        var visits: [Visit] = []
        try bench.service.forEachVisit(.init()) { visits.append($0) }
        #expect(visits.count == 3 && visits.allSatisfy { $0.exitedAt != nil })
    }

    @Test(
        "A visit continues in a geofence that one change removes and saves again, in any number of edits",
        arguments: [
            ["remove", "save"], ["save", "remove", "save"], ["wider", "remove", "save"], ["remove", "wider"],
            ["remove", "save", "remove", "wider"], ["elsewhere", "save"], ["elsewhere", "remove", "wider"],
        ])
    func netDifference(steps: [String]) throws {
        try bench.add([circle("a")])
        _ = try bench.service.accept(request([(0, 0)]))
        let edits: [Queries.GeofenceEdit] = steps.map {
            switch $0 {
            case "save": .save(circle("a"))
            case "wider": .save(circle("a", radius: 150))
            case "elsewhere": .save(circle("a", north: 900))
            default: .remove(id: "a")
            }
        }
        let revision = try bench.service.store.fenceRevision()
        #expect(try bench.service.apply(edits).isEmpty)
        #expect(try bench.service.store.fenceRevision() == revision + 1)
        #expect(summaries(try bench.events()) == ["enter a initial"])
        #expect(try bench.service.checkStore().isSound)
        // The device leaves the only geofence that there is.
        #expect(summaries(try bench.service.accept(request([(60, 900), (120, 900)])).events) == ["exit a moved"])
        #expect(try bench.service.replay(device: "d", since: nil, report: { _ in }).retracted == 0)
    }

    @Test("The last of several edits of a geofence decides, and also determines which devices leave")
    func lastEditDecides() throws {
        try bench.add([circle("a")])
        _ = try bench.service.accept(request([(0, 0)]))
        #expect(
            summaries(try bench.service.apply([.remove(id: "a"), .save(circle("a")), .save(circle("a", north: 900))]))
                == ["exit a fenceChanged"])
        #expect(try bench.service.apply([.save(circle("a")), .save(circle("a", north: 900))]).isEmpty)
        #expect(summaries(try bench.service.apply([.save(circle("b")), .save(circle("b"))])) == ["enter b fenceChanged"])
        #expect(
            summaries(try bench.service.apply([.save(circle("b", north: 900)), .remove(id: "b")])) == ["exit b fenceRemoved"])
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("A geofence that one change makes and removes leaves no trace")
    func nothingChanged() throws {
        _ = try bench.service.accept(request([(0, 0)]))
        let revision = try bench.service.store.fenceRevision()
        #expect(try bench.service.apply([.save(circle("a")), .remove(id: "a")]).isEmpty)
        #expect(try bench.service.store.fenceRevision() == revision)
        #expect(throws: Problem.notFound(kind: .geofence, id: "a", similar: [])) {
            try bench.service.apply([.save(circle("a")), .remove(id: "a"), .remove(id: "a")])
        }
    }

    @Test("The same decisions have the same event IDs in another store")
    func identity() throws {
        let other = try Workbench()
        for bench in [bench, other] {
            try bench.add([circle("a")])
            _ = try bench.service.accept(request([(0, 500), (10, 0), (20, 500)]), policy: .exact)
        }
        #expect(try bench.events().map(\.id) == other.events().map(\.id))
        #expect(try bench.events().map(\.sequence) == [1, 2])
    }

    @Test("An event keeps its geofence's name at that time")
    func names() throws {
        try bench.add([circle("a")])
        _ = try bench.service.accept(request([(0, 0)]), policy: .exact)
        var renamed = circle("a")
        renamed.name = "New name"
        try bench.add([renamed])
        _ = try bench.service.accept(request([(60, 900)]), policy: .exact)
        #expect(try bench.events().map(\.geofenceName) == ["Fence a", "New name"])
    }

    @Test("Removing a device ends its visits, and a device that comes back starts without history")
    func removal() throws {
        try bench.add([circle("a")])
        _ = try bench.service.accept(request([(0, 0)]), policy: .exact)
        #expect(summaries(try bench.service.removeDevice(id: "d")) == ["exit a deviceRemoved"])
        #expect(throws: Problem.notFound(kind: .device, id: "d", similar: [])) { try bench.service.device(id: "d") }
        #expect(try bench.service.totals().fixes == 0)
        let back = try bench.service.accept(request([(0, 0)]), policy: .exact)
        #expect(back.counts.accepted == 1)
        #expect(summaries(back.events) == ["enter a initial"])
    }

    @Test("Duplicates are recognized also after a device was removed and came back")
    func repeatsAfterRemoval() throws {
        let walk = request([(0, 0), (10, 500), (20, 900)])
        for _ in 0..<2 {
            #expect(try bench.service.accept(walk).counts.accepted == 3)
            let again = try bench.service.accept(walk).counts
            #expect(again.accepted == 0 && again.duplicates == 3)
            _ = try bench.service.removeDevice(id: "d")
            #expect(try bench.service.totals().fixes == 0)
        }
    }

    @Test("A pending transition survives edits of other things")
    func pendingEdits() throws {
        try bench.add([circle("a")])
        _ = try bench.service.accept(request([(0, 500), (10, 0)]))
        var device = try bench.service.device(id: "d")
        device.name = "Another name"
        #expect(try bench.service.save(device).isEmpty)
        var fence = circle("a")
        fence.dwell = 30
        fence.policy = PolicyOverride(base: .phone)
        #expect(try bench.service.apply([.save(fence)]).isEmpty)
        fence.policy = PolicyOverride()
        #expect(try bench.service.apply([.save(fence)]).isEmpty)
        let confirmed = try bench.service.accept(request([(20, 0)])).events
        #expect(summaries(confirmed) == ["enter a moved"])
        #expect(confirmed[0].occurredAt == Instant("2026-05-01T10:00:10Z")!)
    }

    @Test("No two events have the same ID, regardless of what happens at one moment")
    func uniqueIDs() throws {
        var fence = circle("a")
        fence.groups = ["family"]
        try bench.add([fence])
        _ = try bench.service.accept(request([(0, 0)]), policy: .exact)
        var device = try bench.service.device(id: "d")
        for groups in [["family"], [], ["family"], [], ["family"]] {
            device.groups = groups
            #expect(try bench.service.save(device).count == 1)
        }
        let ids = try bench.events().map(\.id)
        #expect(Set(ids).count == 5 && ids.count == 5)
    }

    @Test("An invalid device name is refused")
    func refusedDevices() throws {
        var batch = request([(0, 0)], device: "a\u{202E}b")
        batch.rows += request([(0, 0)], device: "x").rows.map {
            var row = $0
            row.device = batch.number(ofDevice: "good")
            return row
        }
        let result = try bench.service.accept(batch)
        #expect(result.refusals.map(\.field) == ["device"] && result.counts.accepted == 1)
        #expect(try bench.service.devices().map(\.id) == ["good"])
    }

    @Test("The groups of a device decide which geofences it is in")
    func groups() throws {
        var fence = circle("a")
        fence.groups = ["family"]
        try bench.add([fence])
        _ = try bench.service.accept(request([(0, 0)]), policy: .exact)
        var device = try bench.service.device(id: "d")
        device.groups = ["family"]
        #expect(summaries(try bench.service.save(device)) == ["enter a fenceChanged"])
        device.groups = []
        #expect(summaries(try bench.service.save(device)) == ["exit a fenceChanged"])
    }

    @Test("Only one writer opens a directory, and a second one learns which one holds it")
    func lock() throws {
        do {
            _ = try ServiceWriter(bench.data, purpose: "second")
            Issue.record("two writers")
        } catch {
            #expect(error == .storeBusy(path: bench.data.path, holder: .process("picket test", Int(getpid()))))
        }
        _ = try ServiceReader(bench.data).totals()
    }

    @Test("The events do not depend on batch sizes or on the mix of devices", arguments: [1, 2, 3, 4] as [UInt64])
    func batches(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let fences = (0..<12).map {
            circle("f\($0)", radius: .random(in: 30...400, using: &random), north: .random(in: -800...800, using: &random))
        }
        var walks: [[(Double, Double)]] = []
        for _ in 0..<4 {
            var place = 0.0
            walks.append(
                (0..<150).map { step in
                    place = max(-1000, min(1000, place + .random(in: -90...90, using: &random)))
                    return (Double(step) * 7, place)
                })
        }
        func events(_ policy: DecisionPolicy.Name, _ feed: (Workbench) throws -> Void) throws -> [String: [String]] {
            let bench = try Workbench()
            try bench.add(fences)
            try feed(bench)
            return Dictionary(grouping: try bench.events(), by: \.deviceId).mapValues { $0.map(\.id) }
        }
        for policy in DecisionPolicy.Name.allCases {
            let whole = try events(policy) { bench in
                for (number, walk) in walks.enumerated() {
                    _ = try bench.service.accept(request(walk, device: "d\(number)"), policy: PolicyOverride(base: policy))
                }
            }
            let mixed = try events(policy) { bench in
                var next = [Int](repeating: 0, count: walks.count)
                while let device = walks.indices.filter({ next[$0] < walks[$0].count }).randomElement(using: &random) {
                    let count = min(walks[device].count - next[device], .random(in: 1...30, using: &random))
                    let part = Array(walks[device][next[device]..<next[device] + count])
                    _ = try bench.service.accept(request(part, device: "d\(device)"), policy: PolicyOverride(base: policy))
                    next[device] += count
                }
            }
            #expect(whole == mixed, "policy \(policy), seed \(seed)")
            #expect(whole.values.contains { $0.count > 5 }, "a test in which nothing happens, seed \(seed)")
        }
    }

    @Test("Events of many devices at one moment have different IDs", arguments: [3, 100])
    func manyOfOneMoment(devices: Int) throws {
        let time = Instant("2026-05-01T08:00:00Z")!
        var batch = FixBatch()
        for device in 0..<devices {
            batch.rows.append(
                .init(
                    fix: Fix(time: time, coordinate: Coordinate(latitude: 52.5, longitude: 13.4)),
                    device: batch.number(ofDevice: "d\(device)"), line: device + 1))
        }
        _ = try bench.service.accept(batch, policy: .exact)
        for latitude in [52.5, 53, 52.5, 53, 52.5] {
            try bench.add([
                Geofence(
                    id: "home", name: "Home",
                    shape: .circle(Circle(center: Coordinate(latitude: latitude, longitude: 13.4), radius: 500)))
            ])
            // In half of the cases, the events are in the indexes before the next ones are stored.
            if latitude == 53 { try bench.service.writeAllDerived() }
        }
        let events = try bench.events()
        #expect(events.count == 5 * devices && Set(events.map(\.occurredAt)).count == 1)
        #expect(Set(events.map(\.id)).count == events.count)
    }
}

@Suite("Geofence files")
struct GeofenceFileTests {
    /// A fence with random values in all its fields.
    private func randomFence(_ number: Int, _ random: inout SeededRandom) -> Geofence {
        let center = Coordinate(
            latitude: .random(in: -80...80, using: &random), longitude: .random(in: -179...179, using: &random))
        let ring = (0..<Int.random(in: 3...9, using: &random)).map { corner in
            let angle = Double(corner) * 0.7
            return Coordinate(latitude: center.latitude + 0.01 * sin(angle), longitude: center.longitude + 0.01 * cos(angle))
        }
        // This outline is meant as written: its edges span more than 180° of longitude.
        let wide = [(-170.0, 1.0), (160, 1), (160, 2), (-170, 2)].map { Coordinate(latitude: $0.1, longitude: $0.0) }
        let shapes: [Shape] = [
            .circle(Circle(center: center, radius: .random(in: 1...1_000_000, using: &random))),
            .polygons([Polygon(exterior: ring + ring.prefix(1))]), .polygons([Polygon(exterior: wide + wide.prefix(1))]),
        ]
        let shape = shapes.randomElement(using: &random)!
        var policy = PolicyOverride(base: DecisionPolicy.Name.allCases.randomElement(using: &random))
        if Bool.random(using: &random) { policy.maxSpeed = .infinity }
        if Bool.random(using: &random) { policy.confirmFixes = 3 }
        return Geofence(
            id: "fence.\(number)", name: ["Große Straße \"7\"", "日本", "a\\b", "x"].randomElement(using: &random)!, shape: shape,
            isActive: Bool.random(using: &random), priority: .random(in: -5...5, using: &random),
            triggers: Geofence.Triggers(rawValue: .random(in: 0...7, using: &random)),
            dwell: Bool.random(using: &random) ? .random(in: 1...5000, using: &random) : nil,
            devices: Bool.random(using: &random) ? ["a,b", "c"] : [], groups: Bool.random(using: &random) ? ["g"] : [],
            policy: policy,
            properties: Bool.random(using: &random)
                ? [.init("n", .number("1.50")), .init("o", ["x": [1.description == "1" ? true : false]])] : [])
    }

    @Test("An import restores exactly what an export wrote", arguments: [1, 2, 3] as [UInt64])
    func identity(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let first = try Workbench()
        try first.add((0..<80).map { randomFence($0, &random) })
        let file = first.directory.path + "/all.geojson"
        let exported = try first.service.exportGeofences()
        #expect(exported.count == 80)
        try exported.text.write(toFile: file, atomically: true, encoding: .utf8)

        let second = try Workbench()
        let imported = try GeofenceFile.importing(file, into: second.service)
        #expect(imported.refusals.isEmpty && imported.count == 80)
        #expect(!imported.notes.contains { [.shortWay, .asWritten].contains($0.code) })
        var before: [Geofence] = []
        var after: [Geofence] = []
        try first.service.forEachGeofence { before.append($0) }
        try second.service.forEachGeofence { after.append($0) }
        #expect(before == after, "seed \(seed)")
        #expect(try second.service.exportGeofences().text == exported.text, "seed \(seed)")
    }

    @Test("Each invalid geofence is named, and the others are imported")
    func refusals() throws {
        let bench = try Workbench()
        let features = [
            #"{"type":"Feature","id":"good","geometry":{"type":"Point","coordinates":[13,52]},"properties":{"radius":50}}"#,
            #"{"type":"Feature","id":"good","geometry":{"type":"Point","coordinates":[13,52]},"properties":{"radius":60}}"#,
            #"{"type":"Feature","id":"negative","geometry":{"type":"Point","coordinates":[13,52]},"properties":{"radius":-5}}"#,
            #"{"type":"Feature","id":"north","geometry":{"type":"Point","coordinates":[13,91]},"properties":{"radius":5}}"#,
            #"{"type":"Feature","id":"bow","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]},"properties":{}}"#,
        ]
        let file = try bench.directory.write(
            "{\"type\":\"FeatureCollection\",\"features\":[\n\(features.joined(separator: ",\n"))\n]}", to: "f.geojson")
        let imported = try GeofenceFile.importing(file, into: bench.service)
        #expect(imported.count == 1)
        #expect(
            imported.refusals.map(\.field) == [
                "geofence 2 'good': id", "geofence 3 'negative': radius", "geofence 4 'north': latitude",
                "geofence 'bow': geometry",
            ])
        #expect(
            imported.refusals.last?.reason.description.contains("crosses or touches itself near latitude 0.5, longitude 0.5")
                == true)
    }
}

@Suite("Overlaps of geofences")
struct GeofenceOverlapTests {
    @Test("The overlapping pairs are those that comparing all pairs finds", arguments: [1, 2] as [UInt64])
    func pairs(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let bench = try Workbench()
        let fences = (0..<60).map { number in
            Geofence(
                id: "f\(number)", name: "f",
                shape: .circle(
                    Circle(
                        center: Coordinate(
                            latitude: .random(in: -0.05...0.05, using: &random),
                            longitude: 180 - .random(in: -0.05...0.05, using: &random)),
                        radius: .random(in: 50...1500, using: &random))))
        }.map { fence in
            guard case .circle(var circle) = fence.shape else { return fence }
            circle.center.longitude = Coordinate.wrapped(longitude: circle.center.longitude)
            var copy = fence
            copy.shape = .circle(circle)
            return copy
        }
        try bench.add(fences)
        var found: Set<[String]> = []
        try bench.service.forEachOverlap { found.insert([$0.a, $0.b].sorted()) }
        var expected: Set<[String]> = []
        for (index, a) in fences.enumerated() {
            for b in fences[(index + 1)...] {
                guard case .circle(let one) = a.shape, case .circle(let two) = b.shape else { continue }
                // The distance on a sphere, with a tolerance for the ellipsoid that these sizes do not exceed.
                let dx = (one.center.longitude - two.center.longitude).remainder(dividingBy: 360) * 111_319.49
                let dy = (one.center.latitude - two.center.latitude) * 110_574.3
                let distance = (dx * dx + dy * dy).squareRoot()
                if distance < (one.radius + two.radius) * 0.999 { expected.insert([a.id, b.id].sorted()) }
                if distance > (one.radius + two.radius) * 1.001 {
                    #expect(!found.contains([a.id, b.id].sorted()), "seed \(seed)")
                }
            }
        }
        #expect(expected.isSubset(of: found), "seed \(seed)")
        #expect(expected.count > 20)
    }
}
