import Geodesy
import Model
import Presence
import TestSupport
import Testing

@testable import Store

@Suite("Visits")
struct VisitTests {
    private let directory: TemporaryDirectory
    private let store: PicketStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try PicketStore(writing: directory.path + "/picket.sqlite")
    }

    private struct Ended: Equatable {
        var device: String
        var geofence: String
        var enteredAt: Int64
        var exitedAt: Int64
        var place: PicketStore.VisitPosition {
            .init(enteredAt: Instant(milliseconds: enteredAt), deviceId: device, geofenceId: geofence)
        }

        init(device: String, geofence: String, enteredAt: Int64, exitedAt: Int64) {
            (self.device, self.geofence, self.enteredAt, self.exitedAt) = (device, geofence, enteredAt, exitedAt)
        }

        init(_ visit: Visit) throws {
            self.init(
                device: visit.deviceId, geofence: visit.geofenceId, enteredAt: visit.enteredAt.milliseconds,
                exitedAt: try #require(visit.exitedAt).milliseconds)
        }
    }

    @Test(
        "The pages of a filter have the visits that a linear search finds", arguments: 1...20 as ClosedRange<UInt64>)
    func ended(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var devices: [DeviceKey] = []
        for id in ["a", "b", "c"] { devices.append(try store.saveDevice(Device(id: id), in: Transaction())) }
        let place = Coordinate(latitude: 1, longitude: 2)
        let fences = ["home", "school"].map { Geofence(id: $0, name: $0, shape: .circle(Circle(center: place, radius: 50))) }
        let (revision, keys) = try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
            let revision = try store.beginFenceRevision(in: transaction)
            var keys: [FenceKey] = []
            for fence in fences { keys.append(try store.saveGeofence(fence, revision: revision, in: transaction)) }
            return (revision, keys)
        }
        var all: [Ended] = []
        for sequence in 1...60 as ClosedRange<Int64> {
            let (device, fence) = (Int.random(in: 0..<3, using: &random), Int.random(in: 0..<2, using: &random))
            // Every visit begins at a different time.
            let enteredAt = Int64.random(in: 0..<100, using: &random) * 100_000 + sequence
            let exitedAt = enteredAt + Int64.random(in: 0..<900_000, using: &random)
            let exit = Instant(milliseconds: exitedAt)
            _ = try store.append(
                Transition(
                    type: .exit, fence: keys[fence], occurredAt: exit, confirmedAt: exit, cause: .moved,
                    fix: Fix(time: exit, coordinate: place),
                    visit: OpenVisit(enteredAt: Instant(milliseconds: enteredAt), cause: .moved)),
                sequence: sequence, device: devices[device], deviceId: ["a", "b", "c"][device], geofence: fences[fence],
                revision: revision, recordedAt: exit, in: Transaction())
            all.append(
                Ended(device: ["a", "b", "c"][device], geofence: fences[fence].id, enteredAt: enteredAt, exitedAt: exitedAt))
        }
        for _ in 0..<30 {
            var filter = PicketStore.EventFilter()
            if Bool.random(using: &random) { filter.deviceId = ["a", "b", "nobody"].randomElement(using: &random) }
            let geofences = [[], ["home"], ["school"], ["school", "home"]]
            filter.geofenceIds = geofences.randomElement(using: &random) ?? []
            filter.excludedGeofenceIds = geofences.randomElement(using: &random) ?? []
            let since = Int64.random(in: 0..<10_000_000, using: &random)
            if Bool.random(using: &random) { filter.since = Instant(milliseconds: since) }
            if Bool.random(using: &random) { filter.until = Instant(milliseconds: since + 3_000_000) }
            let isNewestFirst = Bool.random(using: &random)
            let wanted = all.filter { visit in
                if let device = filter.deviceId, device != visit.device { return false }
                if !filter.geofenceIds.isEmpty, !filter.geofenceIds.contains(visit.geofence) { return false }
                if filter.excludedGeofenceIds.contains(visit.geofence) { return false }
                if let since = filter.since, visit.exitedAt < since.milliseconds { return false }
                if let until = filter.until, visit.enteredAt >= until.milliseconds { return false }
                return true
            }.sorted { isNewestFirst ? $0.enteredAt > $1.enteredAt : $0.enteredAt < $1.enteredAt }
            filter.pageSize = 4
            var found: [Ended] = []
            while true {
                var page: [Visit] = []
                try store.snapshot { () throws(Problem) in
                    try store.forEachVisit(
                        filter, after: found.last?.place, isNewestFirst: isNewestFirst, at: Instant(milliseconds: 20_000_000)
                    ) { page.append($0) }
                }
                if page.isEmpty { break }
                #expect(page.count <= 4)
                found += try page.map(Ended.init)
            }
            #expect(found == wanted, "seed \(seed): \(filter)")
        }
    }
}
