import Geodesy
import Ingest
import Model
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence
@testable import Service
@testable import Store

@Suite("Names in two forms of Unicode")
struct NameFormTests {
    private static let composed = "ren\u{E9}"
    private static let decomposed = "rene\u{301}"

    /// The answers of a service as bytes, which differ where strings are equal for Swift.
    private func answers(_ service: ServiceWriter) throws -> [[UInt8]] {
        var texts = try service.groups().map(\.json.description)
        for name in [Self.composed, Self.decomposed] {
            texts.append(try service.device(id: name).id)
            texts += try service.devices().filter { $0.groups.contains(name) }.map(\.id)
            try service.forEachGeofence { if $0.groups.contains(name) { texts.append($0.id + $0.groups.joined()) } }
            var filter = Queries.EventFilter()
            filter.deviceId = name
            try service.forEachEvent(filter) { texts.append($0.deviceId) }
        }
        return texts.map { Array($0.utf8) }
    }

    @Test(
        "Both forms are one device and one group, before and after a restart",
        arguments: [(composed, decomposed), (decomposed, composed)])
    func restart(first: String, second: String) throws {
        let directory = try TemporaryDirectory()
        let data = DataDirectory(path: directory.path + "/data")
        let home = Coordinate(latitude: 52.5, longitude: 13.4)
        func position(_ device: String, _ minute: Int) throws -> String {
            try directory.write(
                #"{"device":"\#(device)","timestamp":"2026-05-01T08:0\#(minute):00Z","latitude":52.5,"longitude":13.4,"accuracy":5}"#,
                to: "p\(minute).jsonl")
        }
        let (before, count): ([[UInt8]], Int)
        do {
            let service = try ServiceWriter(data, purpose: "test", clock: TestClock())
            try service.save(Device(id: first, groups: [first]))
            try service.apply([
                .save(
                    Geofence(
                        id: "home", name: "Home", shape: .circle(Circle(center: home, radius: 100)), groups: [second]))
            ])
            let summary = FileFeed.run(
                [try position(first, 1), try position(second, 2)], into: service,
                options: .init(decoding: DecodingOptions(), policy: .exact),
                observer: .init(event: { _ in }, refusal: { _ in }, problem: { Issue.record("\($0)") }, progress: { _, _ in }))
            (before, count) = (try answers(service), try service.devices().count)
            #expect(summary.counts.fixes == 2)
        }
        let service = try ServiceWriter(data, purpose: "test", clock: TestClock())
        #expect(try answers(service) == before)
        #expect(before.contains(Array(Self.composed.utf8)) && !before.contains(Array(Self.decomposed.utf8)))
        #expect(try service.devices().count == count && count == 1)
    }
}
