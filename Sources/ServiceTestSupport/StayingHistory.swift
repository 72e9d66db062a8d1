import Core
import Geodesy
import Model
import Places
import Presence
import TestSupport

/// Devices that stay at places near boundaries for a while and walk between them, with noise and outliers: the inputs that move stay points
/// and make outlier candidates.
package struct StayingHistory {
    package private(set) var batches: [[FixBatch.Row]] = []
    package static let devices = (1...4).map { "device-\($0)" }
    package static let home = Coordinate(latitude: 52.5, longitude: 13.4)

    package static var geofences: [Geofence] {
        [(0.0, 60.0), (150, 40), (220, 100), (-120, 80)].enumerated().map { number, fence in
            Geofence(
                id: "f\(number)", name: "Fence \(number)",
                shape: .circle(Circle(center: home.north(fence.0), radius: fence.1)), dwell: number == 2 ? 240 : nil)
        }
    }

    package init(seed: UInt64, count: Int = 160) {
        var random = SeededRandom(seed: seed)
        var time = Instant("2026-05-01T10:00:00Z")!
        var places = Self.devices.map { _ in Double.random(in: -250...350, using: &random) }
        for _ in 0..<count {
            time = time + Double.random(in: 1...20, using: &random).rounded()
            let number = Int.random(in: Self.devices.indices, using: &random)
            if Int.random(in: 0..<12, using: &random) == 0 { places[number] = .random(in: -250...350, using: &random) }
            let accuracy = [5.0, 12, 30].randomElement(using: &random)!
            let isWild = Int.random(in: 0..<25, using: &random) == 0
            let away = isWild ? [400.0, 90_000].randomElement(using: &random)! : random.normal() * accuracy / 1.5
            batches.append([
                .init(
                    fix: Fix(time: time, coordinate: Self.home.north(places[number] + away), accuracy: accuracy),
                    device: Int32(number), line: 1)
            ])
        }
    }

    /// The same positions, of which some come later. No position of the last third is held back beyond the end, so that each history ends
    /// with positions in time.
    package func shuffled(seed: UInt64) -> [FixBatch.Row] {
        var random = SeededRandom(seed: seed + 1)
        var held: [(due: Int, row: FixBatch.Row)] = []
        var arriving: [FixBatch.Row] = []
        for (index, batch) in batches.enumerated() {
            arriving += held.filter { $0.due <= index }.map(\.row)
            held.removeAll { $0.due <= index }
            let isHeld = index < batches.count * 2 / 3 && Int.random(in: 0..<6, using: &random) == 0
            if isHeld { held += batch.map { (index + Int.random(in: 4...30, using: &random), $0) } } else { arriving += batch }
        }
        return arriving
    }

    package static func accept(_ rows: [FixBatch.Row], by service: ServiceWriter) throws {
        var batch = FixBatch()
        for device in devices { _ = batch.number(ofDevice: device) }
        batch.rows = rows
        try service.accept(batch)
    }
}

extension Event {
    /// Everything about an event that is not retracted, as far as the order of arrival must not change it, as text.
    package var decision: String {
        "\(deviceId) \(occurredAt) \(type) \(geofenceId ?? "-") sure \(confirmedAt) crossed \(String(describing: crossedAt)) "
            + "\(inferred) by \(fix.time) \(fix.coordinate) \(fix.accuracy ?? 0) since \(String(describing: enteredAt)) "
            + "for \(duration ?? -1) heard \(String(describing: lastHeard))"
    }
}

extension Workbench {
    /// A service with the geofences and the devices of `StayingHistory`.
    package static func ofStayingDevices() throws -> Workbench {
        let bench = try Workbench()
        try bench.add(StayingHistory.geofences)
        for id in StayingHistory.devices { try bench.service.save(Device(id: id, silentAfter: 600)) }
        return bench
    }

    /// The events that are not retracted, each as its decision, sorted.
    package func standingDecisions() throws -> [String] {
        var filter = Queries.EventFilter()
        filter.excludesRetracted = true
        var events: [String] = []
        try service.forEachEvent(filter) { events.append($0.decision) }
        return events.sorted()
    }
}
