import Coverage
import Geodesy
import Model
import Reconciler
import Registry

/// The geofences of a device that its operating system can watch, each with its true transitions.
struct ComparedFences {
    struct Entry {
        var id: String
        var name: String
        /// The circle to register.
        var circle: Circle
        /// Whether the device is inside at the first fix of the track.
        var startsInside: Bool
        /// Whether the transitions include dwells.
        var hasDwell: Bool
        /// In order of time.
        var transitions: [TrueTransition]
    }

    /// Sorted by id.
    private(set) var entries: [Entry] = []
    private var numbers: [String: Int] = [:]

    init(_ geofences: [Geofence], of device: Device, along phone: FullyRegisteredPhone) {
        let candidates = RegionCandidates(geofences, profile: phone.profile)
        let dwells = Dictionary(geofences.compactMap { fence in fence.dwell.map { (fence.id, $0) } }) { first, _ in first }
        entries = candidates.entries.filter { $0.applies(to: device) && $0.watchability.isWatchable }.map {
            Entry(
                id: $0.id, name: $0.name, circle: $0.circle, startsInside: false,
                hasDwell: phone.profile.platform == .android && dwells[$0.id] != nil, transitions: [])
        }
        for (number, entry) in entries.enumerated() { numbers[entry.id] = number }
        // Geofences with the same circle have the same transitions, and share the memory.
        let byCircle = entries.indices.sorted { Self.isBefore(entries[$0].circle, entries[$1].circle) }
        var last: (circle: Circle, startsInside: Bool, transitions: [TrueTransition])?
        for number in byCircle {
            let circle = entries[number].circle
            if last?.circle != circle {
                last = (
                    circle, phone.startsInside(circle),
                    phone.transitions(of: circle).map {
                        TrueTransition(kind: $0.isEnter ? .enter : .exit, at: $0.at, earliest: $0.earliest)
                    }
                )
            }
            guard let last else { continue }
            entries[number].startsInside = last.startsInside
            entries[number].transitions = last.transitions
            if entries[number].hasDwell, let dwell = dwells[entries[number].id], let span = phone.span {
                entries[number].transitions = Self.withDwells(last.transitions, after: dwell, until: span.upperBound)
            }
        }
    }

    private static func isBefore(_ a: Circle, _ b: Circle) -> Bool {
        (a.center.latitude, a.center.longitude, a.radius) < (b.center.latitude, b.center.longitude, b.radius)
    }

    /// Adds a dwell for each visit that lasts long enough.
    private static func withDwells(_ transitions: [TrueTransition], after dwell: Double, until end: Instant) -> [TrueTransition] {
        var all: [TrueTransition] = []
        for (index, transition) in transitions.enumerated() {
            all.append(transition)
            guard transition.kind == .enter else { continue }
            let moment = transition.at + dwell
            let left = index + 1 < transitions.count ? transitions[index + 1].earliest : end
            if moment <= left { all.append(TrueTransition(kind: .dwell, at: moment, earliest: transition.earliest + dwell)) }
        }
        return all
    }

    /// The number of the geofence that a region is named after; nil if there is none.
    func number(of region: RegionID, _ names: RegionNames) -> Int? { names.geofence(of: region).flatMap { numbers[$0] } }
}
