import Foundation
import Geodesy
import Model
import ServiceTestSupport
import Store
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence
@testable import Service

/// The same positions give the same events, regardless of the order in which they are fed.
@Suite("The same positions")
struct SamePositionsTests {
    private let bench: Workbench

    init() throws { bench = try Workbench.withHome() }

    private func file(_ name: String, _ lines: [String], columns: String = "device,time,lat,lon,accuracy") throws -> String {
        try bench.directory.write(([columns] + lines).joined(separator: "\n") + "\n", to: name)
    }

    private func events(_ service: ServiceWriter? = nil) throws -> [String] {
        var filter = Queries.EventFilter()
        filter.excludesRetracted = true
        var found: [Event] = []
        try (service ?? bench.service).forEachEvent(filter) { found.append($0) }
        return found.map {
            "\($0.occurredAt) \($0.type) \($0.confirmedAt) \($0.fix.accuracy ?? 0) \($0.duration ?? 0)"
        }
        .sorted()
    }

    private func expectSound(_ service: ServiceWriter? = nil, _ comment: Comment? = nil) throws {
        let check = try (service ?? bench.service).checkStore()
        #expect(check.isSound && check.replay.lateFixes == 0, "\(check.flaws.first) \(comment ?? "")")
        #expect(try (service ?? bench.service).replay(device: nil, since: nil, report: { _ in }).new == 0, comment)
    }

    // MARK: - Newest first

    @Test("A file that lists positions from newest to oldest is read from its end")
    func newestFirst() throws {
        let path = try file(
            "f.csv",
            [
                "ana,2026-05-01T10:06:00Z,52.5163,13.3777,", "ana,2026-05-01T10:05:00Z,52.5163,13.3777,",
                "ana,2026-05-01T10:05:00Z,52.5300,13.3777,", "ana,2026-05-01T10:04:00Z,52.5300,13.3777,",
            ])
        #expect(try bench.feed([path]).events.map { "\($0.type) \($0.occurredAt)" } == ["enter 2026-05-01T10:05:00.000Z"])
        #expect(try bench.feed([path]).summary.counts.duplicates == 4)
        try expectSound()
    }

    @Test(
        "A request that lists positions from newest to oldest is read from its end; one with a rise is not, each device for itself"
    )
    func directions() throws {
        func lines(_ times: [(device: String, minute: Int)]) -> [Int] {
            var batch = FixBatch()
            for (line, entry) in times.enumerated() {
                let fix = Fix(
                    time: Instant("2026-05-01T10:00:00Z")! + Double(entry.minute * 60),
                    coordinate: Coordinate(latitude: 52 + Double(line) / 1000, longitude: 13))
                batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: entry.device), line: line))
            }
            return TimeOrderedBatch(batch).batch.rows.map(\.line)
        }
        #expect(lines([("a", 5), ("a", 5), ("a", 4)]) == [2, 1, 0])
        #expect(lines([("a", 5), ("a", 5)]) == [0, 1], "nothing falls")
        #expect(lines([("a", 4), ("a", 5), ("a", 5)]) == [0, 1, 2])
        #expect(lines([("a", 5), ("a", 5), ("a", 4), ("a", 6)]) == [2, 0, 1, 3])
        #expect(lines([("a", 5), ("b", 1), ("a", 5), ("b", 1), ("a", 4), ("b", 2)]) == [1, 3, 5, 4, 2, 0])
    }

    @Test("Rows that fall are divided into chunks between two times only", arguments: Histories.seeds(1...40))
    func lastTimes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var batch = FixBatch()
        let devices = [batch.number(ofDevice: "a"), batch.number(ofDevice: "b")]
        var times = [1000, 1000]
        let lines = (0..<200).map { line in
            let device = Int.random(in: 0..<2, using: &random)
            if Int.random(in: 0..<2, using: &random) == 0 { times[device] -= 1 }
            return FixBatch.Row(
                fix: Fix(
                    time: Instant(milliseconds: Int64(times[device]) * 1000),
                    coordinate: Coordinate(latitude: 52 + Double(line) / 1000, longitude: 13)), device: devices[device],
                attributes: -1, line: line)
        }
        var chunks: [[FixBatch.Row]] = []
        var rest = lines[...]
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 20...60, using: &random))
            for var row in rest.prefix(count) {
                row.attributes = batch.addAttributes("\(row.line)")
                batch.rows.append(row)
            }
            rest.removeFirst(count)
            let taken = rest.isEmpty ? [] : batch.takeLastTimes()
            let ordered = TimeOrderedBatch(batch).batch
            #expect(ordered.rows.allSatisfy { ordered.attributes[Int($0.attributes)] == "\($0.line)" })
            chunks.append(ordered.rows)
            batch.removeAll()
            batch.add(taken)
        }
        for device in devices {
            // From the newest chunk to the oldest one, each from its oldest row to its newest one.
            let found = chunks.reversed().joined().filter { $0.device == device }.map(\.line)
            #expect(found == lines.reversed().filter { $0.device == device }.map(\.line), "seed \(seed)")
        }
    }

    @Test("Positions of one time are not divided among the chunks of a file that falls", arguments: [0, 1])
    func chunks(offset: Int) throws {
        let start = Instant("2026-05-01T00:00:00Z")!
        // Two positions have the same time. For one of the offsets, a chunk would end between them.
        let lines = (offset..<15_000).map { number in
            "ana,\(start + Double(number / 2) * -10),\(number % 2 == 0 ? "52.5163" : "52.5300"),13.3777,5"
        }
        _ = try bench.feed([file("f.csv", lines)])
        let reference = try SamePositionsTests()
        _ = try reference.bench.feed([reference.file("r.csv", lines.reversed())])
        #expect(try events().count > 14_000)
        #expect(try events() == reference.events())
    }

    // MARK: - More accurate repeats

    private let coarseThenAccurate = [
        "z,2026-05-01T10:00:00Z,52.53,13.3777,8", "z,2026-05-01T10:05:00Z,52.5163,13.3777,1500",
        "z,2026-05-01T10:05:00Z,52.5163,13.3777,8", "z,2026-05-01T10:20:00Z,52.5163,13.3777,8",
    ]

    @Test("A more accurate position of the same time and place in another file replaces the first one")
    func accurateInAnotherFile() throws {
        let first = try file("1.csv", Array(coarseThenAccurate[..<2]))
        let second = try file("2.csv", Array(coarseThenAccurate[2...]))
        let expected = try SamePositionsTests()
        let counts = try expected.bench.feed([
            expected.file("2.csv", Array(coarseThenAccurate[2...])), expected.file("1.csv", Array(coarseThenAccurate[..<2])),
        ]).summary.counts
        #expect(counts.accepted == 3 && counts.duplicates == 1, "the coarse one is a duplicate")
        #expect(try expected.events() == ["2026-05-01T10:05:00.000Z enter 2026-05-01T10:05:00.000Z 8.0 0.0"])
        let summary = try bench.feed([first, second]).summary
        #expect(summary.counts.accepted == 4 && summary.counts.late == 1 && summary.counts.waiting == 0)
        #expect(try events() == expected.events())
        try expectSound()
        // All are duplicates now.
        let again = try bench.feed([first, second]).summary.counts
        #expect(again.duplicates == 4 && again.accepted == 0)
        // The explanation shows the accurate position alone.
        let explanation = try bench.service.explain(
            .init(deviceId: "z", geofenceId: "home", at: Instant("2026-05-01T10:05:00Z")!, around: 3))
        #expect(explanation.steps.compactMap { $0.fix?.accuracy } == [8, 8, 8])
    }

    @Test("Of positions with equal device, time and place in one input, the most accurate one counts")
    func accurateInOneFile() throws {
        let report = try bench.feed([file("f.csv", coarseThenAccurate)])
        #expect(report.summary.counts.accepted == 3 && report.summary.counts.duplicates == 1)
        #expect(try events() == ["2026-05-01T10:05:00.000Z enter 2026-05-01T10:05:00.000Z 8.0 0.0"])
        try expectSound()
    }

    @Test("An accuracy that is not given is neither better nor worse than one that is")
    func unknownAccuracy() throws {
        for (given, more) in [("", "8"), ("8", ""), ("8", "8"), ("8", "9"), ("0", "8"), ("8", "0")] {
            let device = "d\(given)-\(more)"
            let paths = try [given, more].enumerated().map {
                try file("\($0.offset).csv", ["\(device),2026-05-01T10:05:00Z,52.5163,13.3777,\($0.element)"])
            }
            #expect(try bench.feed(paths).summary.counts.duplicates == 1, "\(device)")
            let both = try file("b.csv", [given, more].map { "\(device)+,2026-05-01T10:05:00Z,52.5163,13.3777,\($0)" })
            #expect(try bench.feed([both]).summary.counts.duplicates == 1, "\(device)")
            #expect(
                try bench.service.deviceStatus(of: device + "+").newest?.accuracy
                    == bench.service.deviceStatus(of: device).newest?.accuracy)
        }
    }

    @Test("A more accurate repeat of a device whose positions are not kept is a duplicate")
    func notKept() throws {
        try bench.service.save(Device(id: "z", keepPositions: 0))
        let paths = try coarseThenAccurate[1...2].enumerated().map { try file("\($0.offset).csv", [$0.element]) }
        let counts = try bench.feed(paths).summary.counts
        #expect(counts.accepted == 1 && counts.duplicates == 1 && counts.late == 0)
    }

    // MARK: - Random histories

    @Test(
        "Random tracks give the same events in order, from newest to oldest, and over several files in any order",
        arguments: Histories.seeds(1...16))
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let start = Instant("2026-05-01T00:00:00Z")!
        let home = Coordinate(latitude: 52.5163, longitude: 13.3777)
        var rows: [FixBatch.Row] = []
        var time = start
        var north = 0.0
        /// Positions that arrive more than once, with other accuracies.
        var repeats: [FixBatch.Row] = []
        for number in 0..<160 {
            // Another order of positions of one time at several places would be another track.
            time = time + [20, 60, 400, 4000].randomElement(using: &random)!
            north = max(-400, min(400, north + Double.random(in: -200...200, using: &random)))
            var fix = Fix(time: time, coordinate: home.north(north), accuracy: [5, 20, 60, 400].randomElement(using: &random)!)
            rows.append(.init(fix: fix, device: 0, line: number))
            while Int.random(in: 0..<3, using: &random) == 0 {
                fix.accuracy = fix.accuracyOrZero * [0.5, 0.9, 1, 3].randomElement(using: &random)!
                repeats.append(.init(fix: fix, device: 0, line: number))
            }
        }
        // The most accurate of each.
        let best = rows.map { row in
            (repeats.filter { $0.line == row.line } + [row]).min { $0.fix.accuracyOrZero < $1.fix.accuracyOrZero } ?? row
        }
        func service(_ batches: [[FixBatch.Row]], forgets: Bool = false) throws -> (SamePositionsTests, IntakeCounts) {
            let made = try SamePositionsTests()
            var counts = IntakeCounts()
            try made.bench.service.save(
                Device(id: "d", policy: PolicyOverride(base: [.exact, .balanced, .phone][Int(seed % 3)])))
            for rows in batches {
                var batch = FixBatch()
                _ = batch.number(ofDevice: "d")
                batch.rows = rows
                counts.add(try made.bench.service.accept(batch).counts)
                if Int.random(in: 0..<3, using: &random) == 0 { _ = try made.bench.service.replayLate(all: true) { _ in } }
                if forgets, Int.random(in: 0..<3, using: &random) == 0 { try made.bench.service.forget() }
            }
            _ = try made.bench.service.replayLate(all: true) { _ in }
            return (made, counts)
        }
        let expected = try service([best]).0.events()
        let all = rows + repeats
        var pieces: [[FixBatch.Row]] = []
        var rest = all.shuffled(using: &random)
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 1...40, using: &random))
            pieces.append(Array(rest[..<count]))
            rest.removeFirst(count)
        }
        let newestFirst = all.sorted { ($1.fix.time, $1.line) < ($0.fix.time, $0.line) }
        let orders: [(String, [[FixBatch.Row]])] = [
            ("repeats later", [rows, repeats]), ("repeats first", [repeats, rows]), ("one by one", all.map { [$0] }),
            ("newest first", [newestFirst]), ("shuffled over files", pieces),
        ]
        for (name, batches) in orders {
            let (made, counts) = try service(batches, forgets: seed % 2 == 0)
            #expect(try made.events() == expected, "seed \(seed), \(name)")
            #expect(counts.accepted + counts.duplicates == all.count, "seed \(seed), \(name)")
            try expectSound(made.bench.service, "seed \(seed), \(name)")
            // Everything is known.
            var batch = FixBatch()
            _ = batch.number(ofDevice: "d")
            batch.rows = all
            #expect(try made.bench.service.accept(batch).counts.duplicates == all.count, "seed \(seed), \(name)")
        }
    }
}
