import Core
import Model
import Presence
import Store

extension Queries {
    /// The newest position among those in which stops were found.
    package struct StopSource: Sendable {
        fileprivate let device: DeviceKey
        fileprivate let position: PicketStore.TrackPosition
    }

    /// Whether the position is still stored, so that its device was not erased. Another device can get the id and the key of an erased one,
    /// but numbers of positions are not used again.
    func isStored(_ source: StopSource) throws(Problem) -> Bool {
        let before = PicketStore.TrackPosition(time: source.position.time, number: source.position.number - 1)
        return try store.fixes(of: source.device, after: before, limit: 1).first?.number == source.position.number
    }

    /// The stops of a device outside of geofences, in order of time. A stop during a visit is one at a geofence, and is left out.
    ///
    /// - Parameters:
    ///   - minDuration: The duration of the shortest stop in seconds.
    /// - Returns: The stops, and the newest position that was read; nil if there is none.
    /// - Throws: `Problem.notFound` if the device is unknown.
    /// - Complexity: O(positions in the period).
    package func stops(
        ofDevice id: String, since: Instant?, until: Instant?, minDuration: Double
    ) throws(Problem) -> (stops: [Stop], source: StopSource?) {
        try store.snapshot { () throws(Problem) in
            let stored = try storedDevice(id: id)
            var filter = EventFilter(deviceId: stored.device.id)
            (filter.since, filter.until) = (since, until)
            var visits: [Range<Instant>] = []
            try forEachVisit(filter) { visits.append($0.enteredAt..<max($0.enteredAt, $0.exitedAt ?? .latest)) }
            var found: [Stop] = []
            func add(_ stop: Stop?) {
                guard let stop else { return }
                let middle = stop.startedAt + stop.duration / 2
                if !visits.contains(where: { $0.lowerBound <= middle && middle < $0.upperBound }) { found.append(stop) }
            }
            var finder = StopFinder(ofDevice: stored.device.id, minDuration: minDuration)
            var place = PicketStore.TrackPosition(time: since ?? .earliest, number: -1)
            reading: while true {
                let inputs = try store.fixes(of: stored.key, after: place, limit: Self.fixesAtOnce)
                for input in inputs {
                    guard case .fix(let fix, _) = input.kind else { continue }
                    if let until, fix.time >= until { break reading }
                    add(finder.add(fix))
                    place = .init(time: fix.time, number: input.number)
                }
                if inputs.count < Self.fixesAtOnce { break }
            }
            add(finder.last)
            let source = place.number < 0 ? nil : StopSource(device: stored.key, position: place)
            return (stops: found, source: source)
        }
    }

    private static let fixesAtOnce = 5000
}
