import Comparison
import Model
import Presence
import Registry
import ServiceTestSupport
import Store
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Registrations

@Suite("Stored observations")
struct ObservationTests {
    private let bench: Workbench
    private static let start = Instant("2026-05-01T00:00:00Z")!

    init() throws { bench = try Workbench() }

    /// Stores an enter of each minute.
    private func store(_ minutes: Range<Int>, of device: String) throws -> ObservationAnswer {
        let lines = minutes.map { minute in
            AppObservation(at: Self.start + Double(minute) * 60, .transition(.enter, RegionID("picket/home"))).json.description
        }
        let decoded = try AppLogDecoder.decode(Array(lines.joined(separator: "\n").utf8), file: nil)
        return try bench.service.storeObservations(decoded, of: device)
    }

    /// The minutes of the stored observations of a device, as another process sees them.
    private func minutes(of device: String) throws -> [Int] {
        let store = try PicketStore(reading: bench.data.storePath)
        guard let key = try store.device(id: device)?.key else { return [] }
        var found: [Int] = []
        try store.forEachObservation(of: key, from: .earliest, to: .latest) { json throws(Problem) in
            found.append(Int((try AppObservation(json: json).at - Self.start) / 60))
        }
        return found
    }

    @Test("Observations are on disk after the answer, in order of time, and each once")
    func kept() throws {
        #expect(try store(5..<8, of: "anna").accepted == 3)
        let again = try store(3..<8, of: "anna")
        #expect(again.accepted == 2 && again.duplicates == 3)
        #expect(try minutes(of: "anna") == [3, 4, 5, 6, 7])
    }

    @Test(
        "Observations go with the positions of their device: at the end of their time, and when the device is removed permanently"
    )
    func removed() throws {
        for device in ["anna", "ben", "mia"] { _ = try store(0..<600, of: device) }
        var own = try bench.service.device(id: "ben")
        own.keepPositions = .infinity
        try bench.service.save(own)
        own = try bench.service.device(id: "mia")
        own.keepPositions = 3600
        try bench.service.save(own)
        while try bench.service.trimPositions(keeping: 7200, now: Self.start + 600 * 60, limit: 50).hasMore {}
        #expect(try minutes(of: "anna") == Array(480..<600))
        #expect(try minutes(of: "ben").count == 600)
        #expect(try minutes(of: "mia") == Array(540..<600))
        _ = try bench.service.eraseDevice(id: "anna", rewriting: false)
        #expect(try minutes(of: "anna").isEmpty && minutes(of: "ben").count == 600)
    }

    @Test("The export of a device has its observations")
    func exported() throws {
        _ = try store(0..<2, of: "anna")
        var types: [String] = []
        try bench.service.exportDevice(id: "anna") { line in
            if let type = line["evidence"]?["body"]?["type"]?.string { types.append(type) }
        }
        #expect(types == ["enter", "enter"])
    }
}
