import Geodesy
import Model
import Monitor
import SQLite
import Store
import TestSupport
import Testing
import Timeline

@testable import Service

/// Devices that stay at places near boundaries for a while and walk between them, with noise and outliers: the inputs that move stay points
/// and make outlier candidates.
private struct StayingHistory {
    private(set) var batches: [[FixBatch.Row]] = []
    static let devices = (1...4).map { "device-\($0)" }
    static let home = Coordinate(latitude: 52.5, longitude: 13.4)

    static var geofences: [Geofence] {
        [(0.0, 60.0), (150, 40), (220, 100), (-120, 80)].enumerated().map { number, fence in
            Geofence(
                id: "f\(number)", name: "Fence \(number)",
                shape: .circle(Circle(center: home.north(fence.0), radius: fence.1)), dwell: number == 2 ? 240 : nil)
        }
    }

    init(seed: UInt64, count: Int = 160) {
        var random = SeededRandom(seed: seed)
        var time = Instant("2026-05-01T10:00:00Z")!
        var places = Self.devices.map { _ in Double.random(in: -250...350, using: &random) }
        for _ in 0..<count {
            time = time + Double.random(in: 1...20, using: &random).rounded()
            let number = Int.random(in: Self.devices.indices, using: &random)
            if Int.random(in: 0..<12, using: &random) == 0 { places[number] = .random(in: -250...350, using: &random) }
            let accuracy = [5.0, 12, 30].randomElement(using: &random)!
            let isWild = Int.random(in: 0..<25, using: &random) == 0
            let away = isWild ? [400.0, 90_000].randomElement(using: &random)! : random.normal() * accuracy / 1.5
            batches.append([
                .init(
                    fix: Fix(time: time, coordinate: Self.home.north(places[number] + away), accuracy: accuracy),
                    device: Int32(number), line: 1)
            ])
        }
    }

    /// The same positions, of which some come later. No position of the last third is held back beyond the end, so that each history ends
    /// with positions in time.
    func shuffled(seed: UInt64) -> [FixBatch.Row] {
        var random = SeededRandom(seed: seed + 1)
        var held: [(due: Int, row: FixBatch.Row)] = []
        var told: [FixBatch.Row] = []
        for (index, batch) in batches.enumerated() {
            told += held.filter { $0.due <= index }.map(\.row)
            held.removeAll { $0.due <= index }
            let isHeld = index < batches.count * 2 / 3 && Int.random(in: 0..<6, using: &random) == 0
            if isHeld { held += batch.map { (index + Int.random(in: 4...30, using: &random), $0) } } else { told += batch }
        }
        return told
    }

    static func accept(_ rows: [FixBatch.Row], by service: ServiceWriter) throws {
        var batch = FixBatch()
        for device in devices { _ = batch.number(ofDevice: device) }
        batch.rows = rows
        try service.accept(batch)
    }
}

extension Event {
    /// Everything of a standing event that the order of arrival must not change, as text.
    fileprivate var decision: String {
        "\(deviceId) \(occurredAt) \(type) \(geofenceId ?? "-") sure \(confirmedAt) crossed \(String(describing: crossedAt)) "
            + "\(inferred) by \(fix.time) \(fix.coordinate) \(fix.accuracy ?? 0) since \(String(describing: enteredAt)) "
            + "for \(duration ?? -1) heard \(String(describing: lastHeard))"
    }
}

@Suite("Late fixes of staying devices")
struct LateStayTests {
    private static func standing(_ service: ServiceWriter) throws -> [String] {
        var filter = Queries.EventFilter()
        filter.excludesRetracted = true
        var events: [String] = []
        try service.forEachEvent(filter) { events.append($0.decision) }
        return events.sorted()
    }

    private func bench() throws -> Workbench {
        let bench = try Workbench()
        try bench.add(StayingHistory.geofences)
        for id in StayingHistory.devices { try bench.service.save(Device(id: id, silentAfter: 600)) }
        return bench
    }

    @Test(
        "Late fixes and the live ones after them give the states and events that the same fixes in order give",
        arguments: Histories.seeds(1...24))
    func order(seed: UInt64) throws {
        let history = StayingHistory(seed: seed)
        let (ordered, late) = (try bench(), try bench())
        for rows in history.batches { try StayingHistory.accept(rows, by: ordered.service) }
        var counts = ReplayCounts()
        var random = SeededRandom(seed: seed + 2)
        for row in history.shuffled(seed: seed) {
            try StayingHistory.accept([row], by: late.service)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: counts.add(try late.service.replayLate(all: true) { _ in })
            case 1...3:
                // A part of a replay, with live positions after it.
                let step = try late.service.replayLate(at: nil, limit: Int.random(in: 1...12, using: &random))
                if let done = step.done { counts.add(done.counts) }
            case 4 where seed % 2 == 0: try late.service.forget()
            default: break
            }
        }
        counts.add(try late.service.replayLate(all: true) { _ in })
        #expect(counts.devices > 0, "seed \(seed)")
        let (expected, found) = (try Self.standing(ordered.service), try Self.standing(late.service))
        let missing = Set(expected).subtracting(found).sorted().prefix(3)
        let surplus = Set(found).subtracting(expected).sorted().prefix(3)
        #expect(expected == found, "seed \(seed): missing \(missing), surplus \(surplus)")
        #expect(expected.count > 4, "seed \(seed)")
        for id in StayingHistory.devices {
            guard let inOrder = try ordered.service.slot(of: id), let afterwards = try late.service.slot(of: id) else { continue }
            let difference = late.service.slots[afterwards].state.difference(from: ordered.service.slots[inOrder].state)
            #expect(difference == nil, "seed \(seed), \(id): \(difference ?? "")")
        }
        let check = try late.service.checkStore()
        #expect(check.isSound && check.replay.unprovenDevices == 0, "seed \(seed): \(check.flaws.first)")
    }

    @Test("A check finds another stay point or another outlier candidate in a saved state, also of a corrected device")
    func wrongState() throws {
        let late = try bench()
        for row in StayingHistory(seed: 1).shuffled(seed: 1) { try StayingHistory.accept([row], by: late.service) }
        _ = try late.service.replayLate(all: true) { _ in }
        // The last position of each device lies far away and waits for another one.
        for number in StayingHistory.devices.indices {
            let far = Fix(
                time: Instant("2026-05-01T18:00:00Z")!, coordinate: StayingHistory.home.north(900_000), accuracy: 5)
            try StayingHistory.accept([.init(fix: far, device: Int32(number), line: 1)], by: late.service)
        }
        #expect(try late.service.checkStore().isSound)
        try late.service.writeAllDerived()
        let changes = [
            "stay_latitude = stay_latitude + 0.0001", "stay_variance = stay_variance + 1", "stay_settled = NOT stay_settled",
            "stay_since = stay_since + 1", "suspect_latitude = suspect_latitude + 0.0001", "suspect_time = suspect_time + 1",
            "suspect_accuracy = 6",
        ]
        let connection = try Connection(path: late.data.storePath, access: .write)
        let devices = try connection.uncachedStatement(
            "SELECT device FROM device_state WHERE stay_since IS NOT NULL AND suspect_time IS NOT NULL"
        ).values(Int64.self)
        try #require(devices.count == StayingHistory.devices.count)
        for change in changes {
            try connection.execute("CREATE TEMP TABLE old AS SELECT * FROM device_state")
            try connection.execute("UPDATE device_state SET \(change)")
            let check = try ServiceReader(late.data).checkStore()
            #expect(check.flaws.first.count { $0.kind == .replay } == devices.count, "\(change): \(check.flaws.first)")
            try connection.execute("INSERT OR REPLACE INTO device_state SELECT * FROM old; DROP TABLE temp.old")
        }
        #expect(try ServiceReader(late.data).checkStore().isSound)
    }
}
