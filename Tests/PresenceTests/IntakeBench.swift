import Ingest
import Model
import ServiceTestSupport
import TestSupport

@testable import Core
@testable import Presence
@testable import Service

/// A service that devices send positions to, one request at a time.
struct IntakeBench {
    let bench: Workbench
    var clock: TestClock { bench.clock }
    var service: ServiceWriter { bench.service }
    /// The present time.
    var now: Instant { clock.now() }

    init() throws {
        bench = try Workbench()
        service.isServing = true
    }

    func wait(_ seconds: Double) { clock.set(clock.now() + seconds) }

    typealias TimedLatitude = (time: Instant, latitude: Double)

    /// Sends a request with the positions of a device.
    @discardableResult
    func send(_ device: String, _ fixes: [TimedLatitude], longitude: Double = 13.4) throws -> IntakeResult {
        var batch = FixBatch()
        let lines = fixes.map { fix in
            let json: JSONValue = [
                "device": .string(device), "timestamp": JSONValue(fix.time), "latitude": JSONValue(fix.latitude),
                "longitude": JSONValue(longitude), "accuracy": JSONValue(8.0),
            ]
            return json.description
        }
        var decoder = FixDecoder(source: .body, format: .ndjson, options: try service.completed(DecodingOptions()))
        let bytes = Array(lines.joined(separator: "\n").utf8)
        try bytes.withUnsafeBufferPointer { try decoder.decode($0, into: &batch) }
        try decoder.finish(into: &batch)
        return try service.accept(batch)
    }

    @discardableResult
    func send(_ device: String, at time: Instant, _ latitude: Double = 52.5) throws -> IntakeResult {
        try send(device, [(time, latitude)])
    }

    /// Sends a position of the device `a`.
    @discardableResult
    func send(at time: Instant, _ latitude: Double = 52.5) throws -> IntakeResult { try send("a", at: time, latitude) }

    func standing() throws -> [Queries.OpenProblem] {
        try service.problems(withDismissed: true, after: nil, limit: 100).items
    }

    /// The codes of the open problems.
    func codes() throws -> [String] { try standing().map(\.code) }
}
