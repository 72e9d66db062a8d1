import Geodesy
import Model
import Service

/// Where a stream follows devices.
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

/// The positions that a stream has still to send: of each device the newest.
struct PendingPositions {
    private var newest: [String: LivePosition] = [:]
    /// The devices that were last told to be in the area. When one leaves it, that is told, too.
    private var inside: Set<String> = []

    /// So many devices may wait. A reader that is slower misses others until they move again.
    private static let most = 20_000

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
        if newest.count < Self.most || newest[id] != nil { newest[id] = position }
    }

    /// Writes them as one event of the stream, and forgets them.
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
