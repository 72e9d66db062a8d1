import Foundation
import Model
import Synchronization

/// Positions of devices that enter and leave a circle by turns, so that each of these makes an event, and when each was due to be sent.
/// The time of a position tells its number, so that its event is recognized.
final class CircleVisits: Sendable {
    /// The circle, as `geofence add` takes it.
    static let circle = ["--id", "far", "--name", "Far", "--circle", "60.0005,10.5,200", "--json"]
    static let devices = 1000
    static let (inside, outside) = ("60.0005", "61.0005")

    /// The time of the first position, in milliseconds since 1970.
    private let first = Int64(Date().timeIntervalSince1970 * 1000)
    private let dues: Mutex<[Int64]>
    private let isInside = Mutex([Bool](repeating: false, count: devices))

    /// - Parameter count: How many positions there are.
    init(_ count: Int) { dues = Mutex([Int64](repeating: 0, count: count)) }

    /// When the position of a time was due, on the clock of `Monotonic`; nil for a time that no position has.
    func due(at time: Instant) -> Int64? {
        let number = Int(time.milliseconds - first)
        return dues.withLock { $0.indices.contains(number) ? $0[number] : nil }
    }

    /// Writes the position of a number as JSON, in place of what `body` holds.
    ///
    /// - Parameter moves: Whether the device enters or leaves the circle; else it stays where it was.
    func write(_ number: Int, due: Int64, moves: Bool = true, into body: inout [UInt8]) {
        dues.withLock { $0[number] = due }
        let device = number % Self.devices
        let isInside = isInside.withLock { isInside in
            if moves { isInside[device].toggle() }
            return isInside[device]
        }
        body.removeAll(keepingCapacity: true)
        body.append("{\"device\":\"car-")
        body.append(decimal: device)
        body.append("\",\"timestamp\":")
        body.append(decimal: Int(first) + number)
        body.append(",\"latitude\":")
        body.append(contentsOf: (isInside ? Self.inside : Self.outside).utf8)
        body.append(",\"longitude\":10.5}")
    }
}
