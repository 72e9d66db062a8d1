import Foundation
import Model

/// Devices that drive at 15 m/s over one square degree at the equator. They report in turn: position `i` belongs to device `i % count`, one
/// second after that device's previous position. The same seed gives the same positions.
struct DenseDevices: Sendable {
    private struct Car {
        var latitude: Double
        var longitude: Double
        /// Radians clockwise from north.
        var heading: Double

        /// Moves the car one step, and turns it back at the edge of the square.
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

    /// Degrees that a device moves between two positions.
    private static let step = 15 / 111_320.0

    /// The time of the first position of each device.
    let start: Instant
    private var cars: [Car]
    private var random: SplitMix64
    private var device = 0
    private var second = 0
    /// The RFC 3339 time of the positions of `second`, up to the seconds.
    private var timestamp: [UInt8] = []

    /// - Parameter seed: Also shifts the start time by 1,000 seconds each, so that two loads with different seeds do not repeat times.
    init(_ count: Int, seed: Int) {
        start = Instant(milliseconds: 1_767_225_600_000 + Int64(seed) * 1_000_000)
        var random = SplitMix64(state: UInt64(seed))
        cars = (0..<count).map { _ in
            Car(latitude: random.unit(), longitude: random.unit(), heading: random.unit() * 2 * .pi)
        }
        self.random = random
    }

    /// Writes the next position as JSON, without a line end.
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
