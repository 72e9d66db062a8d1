import Core
import Geodesy
import History
import Model
import Monitor
import Places
import Presence
import SQLite
import Store
import Synchronization
import TestSupport

extension Coordinate {
    /// The coordinate about `meters` further north.
    package func north(_ meters: Double) -> Coordinate { Coordinate(latitude: latitude + meters / 111_000, longitude: longitude) }
}

extension Geofence {
    /// One of eight fences, on the meridian of a coordinate.
    package static func random(along home: Coordinate, _ random: inout SeededRandom) -> Geofence {
        let number = Int.random(in: 1...8, using: &random)
        return Geofence(
            id: "f\(number)", name: "Fence \(number)",
            shape: .circle(
                Circle(
                    center: home.north(Double.random(in: -600...600, using: &random)),
                    radius: .random(in: 30...400, using: &random))),
            isActive: Int.random(in: 0..<8, using: &random) > 0,
            dwell: Bool.random(using: &random) ? Double.random(in: 30...400, using: &random).rounded() : nil,
            groups: Int.random(in: 0..<5, using: &random) == 0 ? ["odd"] : [],
            labels: Int.random(in: 0..<3, using: &random) == 0 ? ["even"] : [],
            policy: Int.random(in: 0..<4, using: &random) == 0 ? PolicyOverride(base: .phone) : PolicyOverride())
    }
}

/// Random inputs: devices that move among fences, and edits of both.
package struct LivedHistory {
    package var random: SeededRandom
    package let home = Coordinate(latitude: 52.5, longitude: 13.4)
    package var time = Instant("2026-05-01T10:00:00Z")!
    package let devices = (1...6).map { "device-\($0)" }
    package var places: [Double] = [0, 100, 300, -200, 800, -50]
    /// The number of deadlines that the clock has fired.
    package var fired = 0
    package var reports = 0
    /// Whether no fix is late, and no deadline fires before its time.
    package var isPunctual = false
    /// Whether late fixes are replayed occasionally.
    package var isReplayed = false
    package var corrections = 0

    package init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// A batch of fixes of several devices, some of them late.
    package mutating func request() -> FixBatch {
        var batch = FixBatch()
        for line in 0..<Int.random(in: 1...25, using: &random) {
            let number = Int.random(in: 0..<devices.count, using: &random)
            time = time + [1, 5, 20, 70, 300].randomElement(using: &random)!
            places[number] = max(-900, min(900, places[number] + Double.random(in: -200...200, using: &random)))
            let isLate = Int.random(in: 0..<20, using: &random) == 0 && !isPunctual
            let isWild = Int.random(in: 0..<40, using: &random) == 0
            batch.rows.append(
                .init(
                    fix: Fix(
                        time: isLate ? time + -1000 : time, coordinate: home.north(places[number] + (isWild ? 900_000 : 0)),
                        accuracy: [nil, 5, 40, 300].randomElement(using: &random)!,
                        speed: Bool.random(using: &random) ? 2 : nil),
                    device: batch.number(ofDevice: devices[number]), line: line))
        }
        return batch
    }

    /// Performs a random step.
    package mutating func step(_ service: ServiceWriter) throws {
        switch Int.random(in: 0..<15, using: &random) {
        case 0: try service.apply([.save(.random(along: home, &random))])
        case 1:
            try service.apply([
                .save(.random(along: home, &random)), .save(.random(along: home, &random)), .save(.random(along: home, &random)),
            ])
        case 2:
            let id = Geofence.random(along: home, &random).id
            if try service.knownGeofence(id: id) != nil { try service.apply([.remove(id: id)]) }
        case 3: try service.forget()
        case 4:
            guard let deviceIndex = try service.deviceIndex(of: devices.randomElement(using: &random)!),
                let deadline = service.loadedDevices[deviceIndex].state.deadline, !isPunctual || deadline < time
            else { return }
            // Fires the deadline, like the service's clock.
            let events = try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try service.apply(.clock(deadline + 0.5), toDeviceAt: deviceIndex, in: transaction)
            }
            fired += events.count
            time = time + 301
        case 5:
            guard let stored = try service.store.device(id: devices.randomElement(using: &random)!),
                try service.store.state(of: stored, policy: .balanced).newest != nil
            else { return }
            let fence = Geofence.random(along: home, &random).id
            guard let key = try service.store.geofence(id: fence)?.key,
                let deviceIndex = try service.deviceIndex(of: stored.device.id)
            else { return }
            let inside = Bool.random(using: &random)
            let moment = time + 1
            let events = try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try service.apply(.report(key, isInside: inside, at: moment), toDeviceAt: deviceIndex, in: transaction)
            }
            reports += events.count
            time = time + 2
        case 6:
            guard var device = try service.store.device(id: devices.randomElement(using: &random)!)?.device else { return }
            device.policy = PolicyOverride(base: DecisionPolicy.Name.allCases.randomElement(using: &random)!)
            device.groups = Bool.random(using: &random) ? ["odd"] : []
            device.silentAfter = Bool.random(using: &random) ? 1200 : 6 * 3600
            try service.save(device)
        case 7 where isReplayed:
            let counts = try service.replayLate(all: true) { _ in }
            corrections += counts.new + counts.retracted
        default: _ = try service.accept(request())
        }
    }
}
