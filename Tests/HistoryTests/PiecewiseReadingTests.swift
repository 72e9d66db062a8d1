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
@testable import Store

/// What a writer does to the write-ahead log while a reader reads a long list slowly: here it writes after each item.
@Suite("Long lists beside a writer")
struct PiecewiseReadingTests {
    private let bench: Workbench
    private let places = [
        Coordinate(latitude: 52.5163, longitude: 13.3777), Coordinate(latitude: 52.53, longitude: 13.3777),
        Coordinate(latitude: 52.6, longitude: 13.3777),
    ]
    private let start = Instant("2026-05-01T10:00:00Z")!

    init() throws {
        bench = try Workbench.withHome()
        try bench.add([Geofence(id: "park", name: "Park", shape: .circle(Circle(center: places[1], radius: 100)))])
        try bench.add(
            (0..<60).map { number in
                let center = Coordinate(latitude: 10 + Double(number) / 10, longitude: 20)
                return Geofence(id: "far-\(number)", name: "Far \(number)", shape: .circle(Circle(center: center, radius: 100)))
            })
    }

    enum List: CaseIterable {
        case events, eventsOfDevice, eventsOfGeofence, newestEvents, exits, visits, visitsOfDevice, newestVisits, totals
        case geofences, export

        /// The items of the list in order, as text.
        func read(_ queries: Queries, _ item: (String) throws(Problem) -> Void) throws(Problem) {
            var filter = Queries.EventFilter()
            switch self {
            case .eventsOfDevice, .visitsOfDevice: filter.deviceId = "d3"
            case .eventsOfGeofence: filter.geofenceIds = ["home"]
            case .newestEvents, .newestVisits: filter.limit = 150
            case .exits: (filter.types, filter.excludesRetracted) = ([.exit], true)
            default: break
            }
            switch self {
            case .events, .eventsOfDevice, .eventsOfGeofence, .newestEvents, .exits:
                _ = try queries.readEvents(filter) { event throws(Problem) in try item(event.json.description) }
            case .visits, .visitsOfDevice, .newestVisits:
                try queries.forEachVisit(filter) { visit throws(Problem) in try item(visit.json.description) }
            case .totals: try queries.forEachVisitTotal(filter) { total throws(Problem) in try item(total.json.description) }
            case .geofences:
                try queries.forEachGeofence(matching: nil) { geofence throws(Problem) in try item(geofence.id) }
            case .export: try queries.exportDevice(id: "d3") { line throws(Problem) in try item(line.description) }
            }
        }

        /// Whether the list may include what was written after its beginning.
        var isOfSeveralMoments: Bool { [.visits, .newestVisits, .totals].contains(self) }
    }

    /// A reader that reads a few items at a time.
    private func reader() throws -> Queries {
        let reader = try ServiceReader(bench.data, clock: bench.clock)
        reader.store.pieceLimit.items = 5
        return reader
    }

    /// Stores positions of a device.
    private func move(_ device: String, _ path: [(time: Instant, place: Coordinate)]) throws {
        var batch = FixBatch()
        let number = batch.number(ofDevice: device)
        for (line, step) in path.enumerated() {
            batch.rows.append(.init(fix: Fix(time: step.time, coordinate: step.place, accuracy: 5), device: number, line: line))
        }
        _ = try bench.service.accept(batch, policy: .exact)
    }

    /// Random tracks of forty devices, of which one has many positions.
    private func addHistory(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for device in 0..<40 {
            let count = device == 3 ? 400 : 20
            try move(
                "d\(device)",
                (0..<count).map { (start + Double($0 * 600 + device), places[.random(in: 0..<3, using: &random)]) })
        }
    }

    /// Runs a change within a callback that throws problems only.
    private func change(_ body: () throws -> Void) throws(Problem) {
        do {
            try body()
        } catch {
            throw error as? Problem ?? .unknown(details: .verbatim("\(error)"))
        }
    }

    private var logPages: Int { bench.data.logBytes / 4096 }

    @Test("The log stays small beside a slow reader, and each item is read once, in order", arguments: List.allCases)
    func slowReader(_ list: List) throws {
        let seed: UInt64 = 11
        try addHistory(seed: seed)
        var expected: [String] = []
        try list.read(reader()) { expected.append($0) }
        #expect(expected.count > 40, "seed \(seed)")

        #expect(try bench.service.store.checkpointAndTruncate())
        let before = bench.service.store.writtenPages
        var (found, largest, written) = ([String](), 0, 0)
        try list.read(reader()) { item throws(Problem) in
            found.append(item)
            written += 1
            // A list of several moments would never end while visits are added to its end.
            if list.isOfSeveralMoments, written > 200 { return }
            try change {
                // Enters and leaves again, so that there are further events and visits.
                try move("new", (0..<9).map { (start + Double(written * 9000 + $0 * 900), places[$0 % 3]) })
                try bench.service.store.checkpointPassively()
            }
            largest = max(largest, logPages)
        }
        if list.isOfSeveralMoments {
            // The newest visits are those of one moment.
            found.removeAll { $0.contains(#""deviceId":"new""#) }
        }
        #expect(found == expected, "seed \(seed)")
        let pages = bench.service.store.writtenPages - before
        #expect(largest * 5 < pages, "\(largest) pages in the log of \(pages) written; seed \(seed)")
    }

    @Test("Within a transaction, a list is of one state")
    func oneState() throws {
        let reader = try reader()
        var (expected, found) = ([String](), [String]())
        try List.geofences.read(reader) { expected.append($0) }
        try reader.store.snapshot { () throws(Problem) in
            try reader.store.forEachGeofence { stored throws(Problem) in
                found.append(stored.geofence.id)
                let circle = Circle(center: places[2], radius: 100)
                try change { try bench.add([Geofence(id: "z\(found.count)", name: "Z", shape: .circle(circle))]) }
            }
        }
        #expect(found == expected && expected.count == 62)
        found.removeAll()
        try List.geofences.read(reader) { found.append($0) }
        #expect(found.count == 124)
    }

    @Test("Events that are retracted while a list is read stay in it, because the list is of one moment")
    func retraction() throws {
        try addHistory(seed: 13)
        var filter = Queries.EventFilter()
        (filter.deviceId, filter.excludesRetracted) = ("d5", true)
        var (expected, found) = ([String](), [String]())
        _ = try reader().readEvents(filter) { expected.append($0.id) }
        _ = try reader().readEvents(filter) { event throws(Problem) in
            found.append(event.id)
            guard found.count == 1 else { return }
            try change {
                // Late positions between all others change what follows from them.
                try move("d5", (0..<19).map { (start + Double(300 + $0 * 600), places[$0 % 3]) })
                _ = try bench.service.replayLate(all: true) { _ in }
            }
        }
        #expect(found == expected)
        var after: [String] = []
        _ = try reader().readEvents(filter) { after.append($0.id) }
        #expect(after != expected)
    }
}
