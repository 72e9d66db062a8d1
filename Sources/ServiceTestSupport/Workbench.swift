import Core
import Foundation
import Geodesy
import Ingest
import Model
import Places
import Presence
import Service
import Store
import TestSupport

/// A service in its own directory, whose clock a test sets.
package final class Workbench {
    package let directory: TemporaryDirectory
    package let service: ServiceWriter
    package var data: DataDirectory { DataDirectory(path: directory.path + "/data") }

    package let clock = TestClock()

    package init() throws {
        directory = try TemporaryDirectory()
        service = try ServiceWriter(
            DataDirectory(path: directory.path + "/data"), purpose: "test", clock: clock)
    }

    /// A workbench with the geofence `home`, 100 m around 52.5163, 13.3777.
    package static func withHome() throws -> Workbench {
        let bench = try Workbench()
        let center = Coordinate(latitude: 52.5163, longitude: 13.3777)
        try bench.add([Geofence(id: "home", name: "HOME", shape: .circle(Circle(center: center, radius: 100)))])
        return bench
    }

    /// Creates geofences.
    package func add(_ fences: [Geofence]) throws { try service.apply(fences.map { .save($0) }) }

    /// The reports of a feed.
    package struct FeedReport {
        package var summary = FileFeed.Summary()
        package var events: [Event] = []
        package var refusals: [Refusal] = []
        package var remarks: [Phrase] = []
        package var problems: [Problem] = []
    }

    @discardableResult
    package func feed(_ paths: [String], policy: PolicyOverride? = .exact, device: String? = nil) throws -> FeedReport {
        var reported = FeedReport()
        let observer = FileFeed.Observer(
            event: { reported.events.append($0) }, refusal: { reported.refusals.append($0) },
            remark: { reported.remarks.append($1) }, problem: { reported.problems.append($0) }, progress: { _, _ in })
        reported.summary = FileFeed.run(
            paths, into: service, options: .init(decoding: DecodingOptions(device: device), policy: policy), observer: observer)
        return reported
    }

    /// Decodes a whole file into one batch.
    package static func request(_ path: String) throws -> FixBatch {
        var batch = FixBatch()
        var decoder = FixDecoder(source: .verbatim(path))
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        try bytes.withUnsafeBufferPointer { buffer in try decoder.decode(buffer, into: &batch) }
        try decoder.finish(into: &batch)
        return batch
    }

    /// The revision of the geofences.
    package func revision() throws -> Int64 { try PicketStore(reading: data.storePath).fenceRevision() }

    /// All recorded events.
    package func events() throws -> [Event] {
        var events: [Event] = []
        try service.forEachEvent(.init()) { events.append($0) }
        return events
    }
}

/// The lines of a file with one JSON object for each line.
package func jsonLines(_ file: URL) throws -> [JSONValue] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { try JSONParser.parse(String($0)) }
}
