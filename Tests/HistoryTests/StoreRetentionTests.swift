import Geodesy
import Model
import TestSupport
import Testing

@testable import History
@testable import Store

@Suite("Position retention")
struct StoreRetentionTests {
    private let directory: TemporaryDirectory
    private let store: PicketStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try PicketStore(writing: directory.path + "/picket.sqlite")
    }

    @Test(
        "Trimming in steps of any size leaves exactly the positions that are to be kept",
        arguments: 1...20 as ClosedRange<UInt64>)
    func sweep(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let now = Instant(milliseconds: 1_000_000_000)
        let lengths: [Double?] = [nil, 100, 500, .infinity, 0, nil]
        var keys: [DeviceKey] = []
        for (index, length) in lengths.enumerated() {
            keys.append(try store.saveDevice(Device(id: "d\(index)", keepPositions: length), in: Transaction()))
        }
        let general: Double? = seed % 4 == 0 ? nil : 300
        var times: [[Int64]] = Array(repeating: [], count: lengths.count)
        for _ in 0..<300 {
            let device = Int.random(in: 0..<lengths.count, using: &random)
            let time = now.milliseconds - Int64.random(in: 0..<1000, using: &random) * 1000
            let fix = Fix(time: Instant(milliseconds: time), coordinate: Coordinate(latitude: 1, longitude: 2))
            try store.append(
                fix, of: keys[device], revision: 0, evaluation: Bool.random(using: &random) ? .onReceipt : .byReplay,
                attributes: nil, in: Transaction())
            times[device].append(time)
        }
        try store.orderFixes(atMost: Int.random(in: 0...300, using: &random), in: Transaction())
        var sum = PicketStore.TrimStep()
        repeat {
            let limit = Int.random(in: 1...60, using: &random)
            let step = try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try store.trimFixes(keeping: general, now: now, limit: limit, in: transaction)
            }
            #expect(step.examined <= limit, "seed \(seed)")
            sum.add(step)
        } while sum.hasMore
        var removed = 0
        for device in lengths.indices {
            let length = lengths[device] ?? general ?? .infinity
            let kept = times[device].filter { length > 0 && Double(now.milliseconds - $0) <= length * 1000 }.sorted()
            removed += times[device].count - kept.count
            let track = try store.track(of: keys[device], since: nil, until: nil, after: nil, limit: 1000)
            #expect(track.map(\.fix.time.milliseconds) == kept, "seed \(seed), device \(device)")
            #expect(sum.devices.contains(keys[device]) == (kept.count < times[device].count), "seed \(seed)")
        }
        #expect(sum.removed == removed, "seed \(seed)")
        var flaws = StoreFlaws()
        try store.findOrderFlaws(&flaws)
        #expect(flaws.count == 0, "seed \(seed): \(flaws.first)")
    }
}
