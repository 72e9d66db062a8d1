import Geodesy
import Model

@testable import Service

/// A service that devices send positions to, one request at a time.
struct IntakeBench {
    let bench: Workbench
    var clock: Workbench.Clock { bench.clock }
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
        let number = batch.number(ofDevice: device)
        for (line, fix) in fixes.enumerated() {
            let coordinate = Coordinate(latitude: fix.latitude, longitude: longitude)
            let reading = Fix(time: fix.time, coordinate: coordinate, accuracy: 8)
            batch.rows.append(.init(fix: reading, device: number, line: line + 1))
        }
        return try service.accept(batch)
    }

    @discardableResult
    func send(_ device: String, at time: Instant, _ latitude: Double = 52.5) throws -> IntakeResult {
        try send(device, [(time, latitude)])
    }

    /// Sends a position of the device `a`.
    @discardableResult
    func send(at time: Instant, _ latitude: Double = 52.5) throws -> IntakeResult { try send("a", at: time, latitude) }

    func standing() throws -> [Queries.StandingProblem] {
        try service.problems(withDismissed: true, after: nil, limit: 100).items
    }

    /// The codes of the open problems.
    func codes() throws -> [String] { try standing().map(\.code) }
}
