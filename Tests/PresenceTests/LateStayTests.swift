import Model
import SQLite
import ServiceTestSupport
import Store
import TestSupport
import Testing
import Timeline

@testable import Core
@testable import Presence

@Suite("Late fixes of staying devices")
struct LateStayTests {
    @Test(
        "Late fixes and the live ones after them give the states and events that the same fixes in order give",
        arguments: Histories.seeds(1...24))
    func order(seed: UInt64) throws {
        let history = StayingHistory(seed: seed)
        let (ordered, late) = (try Workbench.ofStayingDevices(), try Workbench.ofStayingDevices())
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
        let (expected, found) = (try ordered.standingDecisions(), try late.standingDecisions())
        let missing = Set(expected).subtracting(found).sorted().prefix(3)
        let surplus = Set(found).subtracting(expected).sorted().prefix(3)
        #expect(expected == found, "seed \(seed): missing \(missing), surplus \(surplus)")
        #expect(expected.count > 4, "seed \(seed)")
        for id in StayingHistory.devices {
            guard let inOrder = try ordered.service.deviceIndex(of: id), let afterwards = try late.service.deviceIndex(of: id)
            else { continue }
            let difference = late.service.loadedDevices[afterwards].state.difference(
                from: ordered.service.loadedDevices[inOrder].state)
            #expect(difference == nil, "seed \(seed), \(id): \(difference ?? "")")
        }
        let check = try late.service.checkStore()
        #expect(check.isSound && check.replay.unprovenDevices == 0, "seed \(seed): \(check.flaws.first)")
    }

    @Test("A check finds another stay point or another outlier candidate in a saved state, also of a corrected device")
    func wrongState() throws {
        let late = try Workbench.ofStayingDevices()
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
