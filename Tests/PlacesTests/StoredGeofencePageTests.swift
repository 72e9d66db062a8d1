import Geodesy
import Model
import Store
import TestSupport
import Testing

@testable import Core
@testable import Places

@Suite("Geofence pages")
struct StoredGeofencePageTests {
    private let directory: TemporaryDirectory
    private let store: PicketStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try PicketStore(writing: directory.path + "/picket.sqlite")
    }

    @Test("The pages have each current geofence that meets the filter once, by ID", arguments: 1...20 as ClosedRange<UInt64>)
    func pages(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var expected: [String: Geofence] = [:]
        for _ in 0..<60 {
            let id = "\(["Home", "school", "work"].randomElement(using: &random) ?? "")-\(Int.random(in: 0..<8, using: &random))"
            let known = try store.geofence(id: id)
            if let known, Int.random(in: 0..<4, using: &random) == 0 {
                try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                    try store.remove(known.key, revision: store.beginFenceRevision(in: transaction), in: transaction)
                }
                expected[id] = nil
            } else {
                let groups = ["north", "south", "it's"].filter { _ in Bool.random(using: &random) }
                let place = Coordinate(latitude: Double.random(in: -80...80, using: &random), longitude: 1)
                let fence = Geofence(
                    id: id, name: Bool.random(using: &random) ? "The Garden" : "100 % yard",
                    shape: .circle(Circle(center: place, radius: 5)),
                    groups: groups)
                _ = try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                    try store.saveGeofence(fence, revision: store.beginFenceRevision(in: transaction), in: transaction)
                }
                expected[id] = fence
            }
        }
        for matching in [nil, "o", "HOME", "garden", "%", "nothing"] {
            for group in [nil, "north", "it's", "east"] {
                let filter = PicketStore.GeofenceFilter(matching: matching, group: group)
                let wanted = expected.values.filter { fence in
                    let isInGroup = group.map { fence.groups.contains($0) } ?? true
                    let text = "\(fence.id)\n\(fence.name)".lowercased()
                    return isInGroup && matching.map { text.contains($0.lowercased()) } ?? true
                }.sorted { $0.id < $1.id }
                var paged: [Geofence] = []
                while case let page = try store.geofences(filter, after: paged.last?.id, limit: 3), !page.isEmpty {
                    paged += page
                }
                #expect(paged == wanted, "seed \(seed)")
                for fence in expected.values {
                    #expect(try store.geofence(id: fence.id, filter) == (wanted.contains(fence) ? fence : nil), "seed \(seed)")
                }
            }
        }
        #expect(try store.geofenceCount() == expected.count)
        var shapes: [String: Shape] = [:]
        try store.forEachShape { shapes[$0] = $1 }
        #expect(shapes == expected.mapValues(\.shape), "seed \(seed)")
    }
}
