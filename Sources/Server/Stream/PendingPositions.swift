import Core
import Geodesy
import Model

/// The area in which a stream sends positions.
enum LiveArea: Sendable {
    case everywhere
    case box(BoundingBox)

    func contains(_ coordinate: Coordinate) -> Bool {
        switch self {
        case .everywhere: true
        case .box(let box): box.contains(coordinate)
        }
    }
}

/// The positions that a stream has yet to send: the newest of each device.
struct PendingPositions {
    private var newest: [String: LivePosition] = [:]
    /// The devices whose last sent position was in the area. When one leaves the area, that position is sent, too.
    private var inside: Set<String> = []

    /// The maximum number of waiting devices. A client that is too slow misses further devices until they move again.
    private static let maximumDevices = 20_000

    var isEmpty: Bool { newest.isEmpty }

    mutating func add(_ position: LivePosition, in area: LiveArea) {
        let id = position.deviceId
        if case .box = area {
            if area.contains(position.fix.coordinate) {
                inside.insert(id)
            } else if inside.remove(id) == nil {
                return
            }
        }
        if newest.count < Self.maximumDevices || newest[id] != nil { newest[id] = position }
    }

    /// Writes the positions as one event of the stream, and removes them.
    ///
    /// - Returns: Whether there were any.
    mutating func write(into text: inout [UInt8]) -> Bool {
        guard !newest.isEmpty else { return false }
        let json = JSONValue.array(newest.values.map(\.json))
        newest.removeAll(keepingCapacity: true)
        text += "event: positions\ndata: \(json)\n\n".utf8
        return true
    }
}
