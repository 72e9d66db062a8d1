import Geodesy

/// The active geofences that apply to one device: those for everyone, for the device, and for its groups, merged into one list.
package struct DeviceFences: Sendable {
    /// One part for everyone's geofences, one for the device, and one for each of its groups.
    var parts: [FenceAudience]
    /// The candidates, by number.
    var entries: [RegionCandidates.RegionCandidate]

    /// The number of geofences that can be registered.
    var watchableCount: Int { count(\.ranked) }
    /// The number of geofences.
    var count: Int { count(\.all) }
    /// Whether some geofences are too large to be registered but can be guarded by the sentinel.
    var hasTooLarge: Bool { parts.contains { $0.tooLarge.count > 0 } }

    /// The numbers of all geofences, ascending.
    package var numbers: [Int] {
        if parts.count == 1 { return parts[0].all.map(Int.init) }
        return Set(parts.flatMap(\.all)).sorted().map(Int.init)
    }

    /// The lowest numbers of the geofences that cannot be registered.
    var unwatchable: [Int] { Set(parts.flatMap(\.unwatchable)).sorted().map(Int.init) }

    /// At most `count` geofences that can be registered, by descending priority, then by id.
    func ranked(_ count: Int) -> [Int] {
        let merged = merge(parts.map { $0.ranked.prefix(count + parts.count).map(Int.init) }) { a, b in
            let (high, low) = (entries[a].priority, entries[b].priority)
            return high != low ? high > low : a < b
        }
        return Array(merged.prefix(count))
    }

    /// At most `count` geofences that can be registered, nearest boundary first.
    package func nearest(_ count: Int, to place: EarthVector) -> [BoundaryTree.NearbyCircle] {
        Array(merge(parts.map { $0.watchable.nearest(count, to: place) }, BoundaryTree.NearbyCircle.isNearer).prefix(count))
    }

    /// Of the geofences that are too large to be registered, the one with the nearest boundary; nil if there is none.
    func nearestTooLarge(to place: EarthVector) -> BoundaryTree.NearbyCircle? {
        parts.compactMap { $0.tooLarge.nearest(1, to: place).first }.min(by: BoundaryTree.NearbyCircle.isNearer)
    }

    /// The geofences whose boundary is at most `reach` meters away, including those too large to be registered. Sorted by distance.
    func within(_ reach: Double, of place: EarthVector) -> [BoundaryTree.NearbyCircle] {
        merge(
            parts.map { ($0.watchable.within(reach, of: place) + $0.tooLarge.within(reach, of: place)) }.map {
                $0.sorted(by: BoundaryTree.NearbyCircle.isNearer)
            }, BoundaryTree.NearbyCircle.isNearer)
    }

    /// The geofences that can be registered and contain the point, sorted by distance to the boundary.
    package func containing(_ place: EarthVector) -> [BoundaryTree.NearbyCircle] {
        merge(
            parts.map { $0.watchable.containing(place).sorted(by: BoundaryTree.NearbyCircle.isNearer) },
            BoundaryTree.NearbyCircle.isNearer)
    }

    /// Merges sorted lists; an element that is in several lists appears once.
    private func merge<Element: Hashable>(_ lists: [[Element]], _ isBefore: (Element, Element) -> Bool) -> [Element] {
        if lists.count <= 1 { return lists.first ?? [] }
        var seen: Set<Element> = []
        return lists.joined().sorted(by: isBefore).filter { seen.insert($0).inserted }
    }

    private func count(_ list: KeyPath<FenceAudience, [Int32]>) -> Int {
        switch parts.count {
        case 0: return 0
        case 1: return parts[0][keyPath: list].count
        default:
            // A geofence can be in several parts only if it names several of the device's groups, or a group and the device. A geofence for
            // everyone is in no other part.
            let named = parts.filter { !$0.appliesToEveryone }
            let everyones = parts.filter(\.appliesToEveryone).reduce(0) { $0 + $1[keyPath: list].count }
            if named.count == 1 { return everyones + named[0][keyPath: list].count }
            return everyones + Set(named.flatMap { $0[keyPath: list] }).count
        }
    }
}
