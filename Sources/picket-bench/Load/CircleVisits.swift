import Foundation
import Model
import Synchronization

/// Writes positions of devices that enter and leave a circle in turn, so that each gives an event, and remembers when each was due to be
/// sent. The time of a position contains its number, by which its event is recognized.
final class CircleVisits: Sendable {
    /// The circle as arguments of `picket geofence add`.
    static let circle = ["--id", "far", "--name", "Far", "--circle", "60.0005,10.5,200", "--json"]
    static let devices = 1000
    static let (inside, outside) = ("60.0005", "61.0005")

    /// The time of the first position, in milliseconds since 1970.
    private let first = Int64(Date().timeIntervalSince1970 * 1000)
    private let dueTimes: Mutex<[Int64]>
    private let isInside = Mutex([Bool](repeating: false, count: devices))

    /// - Parameter count: The number of positions.
    init(_ count: Int) { dueTimes = Mutex([Int64](repeating: 0, count: count)) }

    /// When the position with this time was due, in nanoseconds of `Monotonic`; nil if no position has this time.
    func due(at time: Instant) -> Int64? {
        let number = Int(time.milliseconds - first)
        return dueTimes.withLock { $0.indices.contains(number) ? $0[number] : nil }
    }

    /// Replaces `body` with the position of a number, as JSON.
    ///
    /// - Parameter moves: Whether the device enters or leaves the circle; otherwise it stays where it was.
    func write(_ number: Int, due: Int64, moves: Bool = true, into body: inout [UInt8]) {
        dueTimes.withLock { $0[number] = due }
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
