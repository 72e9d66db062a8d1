import Geodesy
import Model
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Sightings")
struct SightingTests {
    private let directory: TemporaryDirectory
    private let store: PicketStore
    private let start: Int64 = 1_777_629_600_000

    init() throws {
        directory = try TemporaryDirectory()
        store = try PicketStore(writing: directory.path + "/picket.sqlite")
    }

    /// Stores positions of a device at times in milliseconds after the start.
    private func store(_ times: [Int64], of device: DeviceKey) throws {
        for time in times {
            let fix = Fix(time: Instant(milliseconds: start + time), coordinate: .init(latitude: 1, longitude: 2))
            try store.append(fix, of: device, revision: 0, evaluation: .onReceipt, attributes: nil, in: Transaction())
        }
    }

    private func moment(_ time: Int64) -> Instant { Instant(milliseconds: start + time) }

    /// The milliseconds between `begin` and `end` that lie between two times at most `gap` apart, computed one gap at a time.
    private static func expectedMilliseconds(_ times: [Int64], gap: Int64, from begin: Int64, to end: Int64) -> Int64 {
        let times = Set(times).sorted()
        return zip(times, times.dropFirst()).reduce(0) { sum, pair in
            pair.1 - pair.0 > gap ? sum : sum + max(0, min(pair.1, end) - max(pair.0, begin))
        }
    }

    @Test(
        "The seen time of any period agrees with adding up positions one by one, stored, ordered or removed",
        arguments: 1...40 as ClosedRange<UInt64>)
    func spans(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let silentAfter = [0.5, 60, 1000][Int(seed % 3)]
        let gap = Int64(silentAfter * 1000)
        let device = try store.saveDevice(Device(id: "d", silentAfter: silentAfter), in: Transaction())
        let other = try store.saveDevice(Device(id: "other"), in: Transaction())
        var time: Int64 = 0
        let all = (0..<120).map { _ -> Int64 in
            // Some gaps are exactly the limit, or one millisecond longer.
            time += [1, gap / 7, gap / 2, gap, gap + 1, 3 * gap, 0].randomElement(using: &random)!
            return time
        }
        // The positions are stored in time order or shuffled, partly ordered by device, and partly removed.
        let stored = seed % 2 == 0 ? all : all.shuffled(using: &random)
        try store(stored, of: device)
        try store(all.map { $0 + 7 }, of: other)
        try store.orderFixes(atMost: Int.random(in: 0...200, using: &random), in: Transaction())
        let removed = Set(all.filter { _ in Int.random(in: 0..<3, using: &random) == 0 })
        try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
            for part in [removed.filter { $0 % 2 == 0 }, removed.filter { $0 % 2 != 0 }] {
                let spans = part.sorted().map { SeenSpan(at: moment($0)) }
                try store.recordSeenSpans(spans, of: device, in: transaction)
            }
            for time in removed {
                try store.attempt { () throws(SQLiteError) in
                    try store.connection.execute(
                        "DELETE FROM fix_order WHERE device = \(device.value) AND time = \(start + time);"
                            + "DELETE FROM fix WHERE device = \(device.value) AND time = \(start + time)")
                }
            }
        }
        let sightings = try Sightings(store)
        let subject = Sightings.SightedDevice(key: device, silentAfter: silentAfter)
        for _ in 0..<60 {
            let begin = Int64.random(in: -gap...time + gap, using: &random)
            let end = begin + Int64.random(in: 0...10 * gap, using: &random)
            let expected = Self.expectedMilliseconds(all, gap: gap, from: begin, to: end)
            let found = try sightings.seconds(of: subject, from: moment(begin), to: moment(end))
            #expect(found == Double(expected) / 1000, "seed \(seed): \(begin) to \(end)")
            let rest = Self.expectedMilliseconds(all, gap: gap, from: begin, to: .max)
            #expect(try sightings.seconds(of: subject, from: moment(begin), to: nil) == Double(rest) / 1000, "seed \(seed)")
            let last = all.last { $0 >= begin && $0 < end }
            switch try sightings.last(of: subject, from: moment(begin), before: moment(end)) {
            case .at(let moment): #expect(moment.milliseconds - start == last, "seed \(seed): \(begin) to \(end)")
            case .never: #expect(last == nil, "seed \(seed): \(begin) to \(end)")
            // The spans here are not split by an exit.
            case .unknown: #expect(!removed.isEmpty)
            }
            #expect(
                try sightings.last(of: subject, from: moment(begin), before: nil)
                    == (time >= begin ? .at(moment(time)) : .never), "seed \(seed)")
        }
    }

    @Test("Few spans are kept, divided by silences and exits, so that the position before an exit stays known")
    func kept() throws {
        let device = try store.saveDevice(Device(id: "d", silentAfter: 60), in: Transaction())
        let exit = Transition(
            type: .exit, fence: FenceKey(1), occurredAt: moment(150_000), confirmedAt: moment(160_000), cause: .moved,
            fix: Fix(time: moment(150_000), coordinate: .init(latitude: 1, longitude: 2)),
            visit: OpenVisit(enteredAt: moment(0), cause: .moved))
        func spans() throws -> [Int64] {
            var found: [Int64] = []
            try store.forEachSeenSpan(of: device) { found += [$0.begins - start, $0.ends - start] }
            return found
        }
        func keep(_ times: Int64...) throws {
            try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try store.recordSeenSpans(times.map { SeenSpan(at: moment($0)) }, of: device, in: transaction)
            }
        }
        _ = try store.append(
            exit, sequence: 1, device: device, deviceId: "d", geofence: nil, revision: 0, recordedAt: moment(160_000),
            in: Transaction())
        try keep(0, 50_000, 110_000)
        #expect(try spans() == [0, 110_000])
        // The position of the exit begins a new span, although it is within the silence limit.
        try keep(150_000, 160_000, 300_000)
        #expect(try spans() == [0, 110_000, 150_000, 160_000, 300_000, 300_000])
        try keep(210_000, 250_000)
        #expect(try spans() == [0, 110_000, 150_000, 300_000])
        try keep(120_000, 200_000, 1_000_000)
        #expect(try spans() == [0, 120_000, 150_000, 300_000, 1_000_000, 1_000_000])
        let subject = Sightings.SightedDevice(key: device, silentAfter: 60)
        let sightings = try Sightings(store)
        #expect(try sightings.last(of: subject, from: moment(0), before: moment(150_000)) == .at(moment(120_000)))
        #expect(try sightings.last(of: subject, from: moment(0), before: moment(250_000)) == .unknown)
        #expect(try sightings.last(of: subject, from: moment(310_000), before: moment(400_000)) == .never)
        #expect(try sightings.seconds(of: subject, from: moment(0), to: moment(2_000_000)) == 300)
    }
}
