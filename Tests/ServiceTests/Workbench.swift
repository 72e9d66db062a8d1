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
final class Workbench {
    let directory: TemporaryDirectory
    let service: ServiceWriter
    var data: DataDirectory { DataDirectory(path: directory.path + "/data") }

    let clock = TestClock()

    init() throws {
        directory = try TemporaryDirectory()
        service = try ServiceWriter(
            DataDirectory(path: directory.path + "/data"), purpose: "test", clock: clock)
    }

    /// A workbench with the geofence `home`, 100 m around 52.5163, 13.3777.
    static func withHome() throws -> Workbench {
        let bench = try Workbench()
        let center = Coordinate(latitude: 52.5163, longitude: 13.3777)
        try bench.add([Geofence(id: "home", name: "HOME", shape: .circle(Circle(center: center, radius: 100)))])
        return bench
    }

    /// Creates geofences.
    func add(_ fences: [Geofence]) throws { try service.apply(fences.map { .save($0) }) }

    /// The reports of a feed.
    struct FeedReport {
        var summary = FileFeed.Summary()
        var events: [Event] = []
        var refusals: [Refusal] = []
        var remarks: [Phrase] = []
        var problems: [Problem] = []
    }

    @discardableResult
    func feed(_ paths: [String], policy: PolicyOverride? = .exact, device: String? = nil) throws -> FeedReport {
        var reported = FeedReport()
        let observer = FileFeed.Observer(
            event: { reported.events.append($0) }, refusal: { reported.refusals.append($0) },
            remark: { reported.remarks.append($1) }, problem: { reported.problems.append($0) }, progress: { _, _ in })
        reported.summary = FileFeed.run(
            paths, into: service, options: .init(decoding: DecodingOptions(device: device), policy: policy), observer: observer)
        return reported
    }

    /// Decodes a whole file into one batch.
    static func request(_ path: String) throws -> FixBatch {
        var batch = FixBatch()
        var decoder = FixDecoder(source: .verbatim(path))
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        try bytes.withUnsafeBufferPointer { buffer in try decoder.decode(buffer, into: &batch) }
        try decoder.finish(into: &batch)
        return batch
    }

    /// The revision of the geofences.
    func revision() throws -> Int64 { try PicketStore(reading: data.storePath).fenceRevision() }

    /// All recorded events.
    func events() throws -> [Event] {
        var events: [Event] = []
        try service.forEachEvent(.init()) { events.append($0) }
        return events
    }
}

/// A CSV file with a header line, without quotes.
struct SimpleCSV {
    let rows: [[String: String]]

    init(_ file: URL) throws {
        let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
        let names = lines[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        rows = lines.dropFirst().map { line in
            Dictionary(
                uniqueKeysWithValues: zip(names, line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)))
        }
    }
}

/// The lines of a file with one JSON object for each line.
func jsonLines(_ file: URL) throws -> [JSONValue] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { try JSONParser.parse(String($0)) }
}
