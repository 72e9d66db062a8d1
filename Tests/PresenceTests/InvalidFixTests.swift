import Core
import Geodesy
import Model
import Presence
import ServiceTestSupport
import Store
import TestSupport
import Testing

@testable import History

@Suite("Positions marked invalid by their device")
struct InvalidFixTests {
    private let bench: Workbench
    private let start = Instant("2026-05-01T10:00:00Z")!

    init() throws {
        bench = try Workbench()
        try bench.add([
            Geofence(id: "f", name: "F", shape: .circle(Circle(center: Coordinate(latitude: 52, longitude: 13), radius: 100)))
        ])
    }

    @discardableResult
    private func send(_ fixes: (minute: Int, latitude: Double, isValid: Bool)...) throws -> IntakeCounts {
        var batch = FixBatch()
        let device = batch.number(ofDevice: "a")
        for (minute, latitude, isValid) in fixes {
            let fix = Fix(time: start + Double(minute) * 60, coordinate: Coordinate(latitude: latitude, longitude: 13))
            batch.rows.append(.init(fix: fix, device: device, line: batch.rows.count + 1, isValid: isValid))
        }
        return try bench.service.accept(batch, policy: .exact).counts
    }

    private func replay() throws { _ = try bench.service.replayLate(all: true) { _ in } }

    @Test("A valid position of the same time and place as an invalid one is accepted, and its visit appears")
    func validAfterInvalid() throws {
        try send((0, 52.1, true), (5, 52, false), (10, 52.1, true))
        #expect(try bench.events().isEmpty)
        let valid = try send((5, 52, true))
        #expect(valid.accepted == 1 && valid.duplicates == 0)
        try replay()
        #expect(try bench.events().map(\.type) == [.enter, .exit])
        // From now on both the valid and the invalid fix are duplicates.
        #expect(try send((5, 52, true)).duplicates == 1)
        #expect(try send((5, 52, false)).duplicates == 1)
        #expect(try bench.service.track(of: "a", since: nil, until: nil, after: nil, limit: 10).items.map(\.isValid).count == 4)
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("Repeated invalid positions are recognized, newer or older than the newest valid one, even after a restart")
    func repeats() throws {
        try send((0, 52.1, true), (5, 52, false), (6, 52.2, false))
        let again = try send((5, 52, false), (6, 52.2, false), (7, 52, false), (7, 52, false), (0, 52.1, false))
        #expect(again.accepted == 1 && again.duplicates == 4)
        let store = try PicketStore(reading: bench.data.storePath)
        #expect(try store.fixCount() == 4)
    }

    @Test("An invalid position newer than all stored ones needs no search")
    func order() throws {
        for minute in 0..<100 { try send((2 * minute, 52.1, true), (2 * minute + 1, 52, false)) }
        // The order by device and time is updated once, for the first fix.
        #expect(try PicketStore(reading: bench.data.storePath).unorderedFixCount() > 190)
        #expect(try send((1, 52, false), (199, 52, false)).duplicates == 2)
    }

    @Test("In random histories, duplicates are recognized as by a set", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func histories(seed: UInt64) throws {
        struct Place: Hashable {
            var minute: Int
            var latitude: Double
        }
        var random = SeededRandom(seed: seed)
        var valid: Set<Place> = []
        var invalid: Set<Place> = []
        for step in 0..<300 {
            let place = Place(
                minute: max(0, step / 3 + Int.random(in: -4...4, using: &random)),
                latitude: Bool.random(using: &random) ? 52 : 52.1)
            let isValid = Bool.random(using: &random)
            let isKnown = valid.contains(place) || !isValid && invalid.contains(place)
            let counts = try send((place.minute, place.latitude, isValid))
            #expect(counts.duplicates == (isKnown ? 1 : 0), "seed \(seed), step \(step)")
            if isValid { valid.insert(place) } else { invalid.insert(place) }
        }
        try replay()
        #expect(try bench.service.checkStore().isSound, "seed \(seed)")
    }
}
