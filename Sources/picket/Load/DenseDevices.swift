import Foundation
import Model

/// Devices that drive over one square degree at the equator, 15 m a second, and the positions that they report in turn: position
/// `i` belongs to device `i % count`, a second after that device's last one. The same seed gives the same positions.
struct DenseDevices: Sendable {
    private struct Car {
        var latitude: Double
        var longitude: Double
        /// Radians clockwise from north.
        var heading: Double

        /// Moves; turns back at the edge.
        mutating func drive(_ step: Double, turning: Double) {
            heading += turning
            latitude += cos(heading) * step
            longitude += sin(heading) * step
            guard !(0...1).contains(latitude) || !(0...1).contains(longitude) else { return }
            heading += .pi
            latitude = min(1, max(0, latitude))
            longitude = min(1, max(0, longitude))
        }
    }

    /// Degrees that a device moves from one position to the next.
    private static let step = 15 / 111_320.0

    /// The time of each device's first position.
    let start: Instant
    private var cars: [Car]
    private var random: SplitMix
    private var device = 0
    private var second = 0
    /// The time of the positions of `second`, to the second.
    private var timestamp: [UInt8] = []

    /// - Parameter seed: A larger one also begins later, so that no load repeats the times of another one.
    init(_ count: Int, seed: Int) {
        start = Instant(milliseconds: 1_767_225_600_000 + Int64(seed) * 1_000_000)
        var random = SplitMix(state: UInt64(seed))
        cars = (0..<count).map { _ in
            Car(latitude: random.unit(), longitude: random.unit(), heading: random.unit() * 2 * .pi)
        }
        self.random = random
    }

    /// Writes the next position as JSON, without the end of a line.
    mutating func writeNext(into text: inout [UInt8]) {
        if device == 0 { timestamp = Array("\((start + Double(second)))".utf8.prefix(19)) }
        cars[device].drive(Self.step, turning: (random.unit() - 0.5) * 0.3)
        text.append("{\"device\":\"d")
        text.append(decimal: device)
        text.append("\",\"timestamp\":\"")
        text.append(contentsOf: timestamp)
        text.append("Z\",\"latitude\":")
        Self.write(cars[device].latitude, into: &text)
        text.append(",\"longitude\":")
        Self.write(cars[device].longitude, into: &text)
        text.append(125)
        device += 1
        if device == cars.count {
            device = 0
            second += 1
        }
    }

    /// Writes degrees from 0 to 1 with six decimals.
    private static func write(_ degrees: Double, into text: inout [UInt8]) {
        let millionths = Int((degrees * 1e6).rounded())
        text.append(decimal: millionths / 1_000_000)
        text.append(46)
        text.append(decimal: millionths % 1_000_000, digits: 6)
    }
}

/// Requests of positions that are written before they are sent, so that writing them takes no time from what is measured.
struct PreparedRequests {
    private var bytes: [UInt8] = []
    /// Where each request ends in `bytes`.
    private var ends: [Int] = []

    var count: Int { ends.count }

    /// - Parameters:
    ///   - count: How many requests.
    ///   - batch: Positions of each; more than one are sent as NDJSON.
    init(_ count: Int, positions batch: Int, of devices: inout DenseDevices) {
        bytes.reserveCapacity(count * (batch * 105 + 130))
        ends.reserveCapacity(count)
        var body: [UInt8] = []
        for _ in 0..<count {
            body.removeAll(keepingCapacity: true)
            for _ in 0..<batch {
                devices.writeNext(into: &body)
                if batch > 1 { body.append(10) }
            }
            bytes.appendPost(
                "/v1/positions", type: batch > 1 ? "application/x-ndjson" : "application/json", body: body)
            ends.append(bytes.count)
        }
    }

    /// Writes the request of a number into a buffer.
    func write(_ number: Int, into request: inout [UInt8]) {
        request.append(contentsOf: bytes[(number > 0 ? ends[number - 1] : 0)..<ends[number]])
    }
}

extension LoadGenerator {
    /// Sends requests in their order: a connection whose last request is answered takes the next one.
    mutating func run(_ requests: PreparedRequests) throws(Problem) {
        var next = 0
        try run(requests.count) { _, request in
            requests.write(next, into: &request)
            next += 1
        }
    }
}
