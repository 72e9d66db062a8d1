import Geodesy

/// The active fences that are for one device: those for everyone, for it and for its groups, as one.
struct DeviceFences {
    var parts: [FenceAudience]
    var entries: [FenceCatalogue.Entry]

    /// How many can be registered.
    var watchableCount: Int { count(\.ranked) }
    /// How many there are.
    var count: Int { count(\.all) }
    /// Whether some are too large to be registered, and yet can be guarded.
    var hasTooLarge: Bool { parts.contains { $0.tooLarge.count > 0 } }

    /// Every fence by number, ascending.
    var numbers: [Int] {
        if parts.count == 1 { return parts[0].all.map(Int.init) }
        return Set(parts.flatMap(\.all)).sorted().map(Int.init)
    }

    /// The first of those that cannot be registered, by number.
    var unwatchable: [Int] { Set(parts.flatMap(\.unwatchable)).sorted().map(Int.init) }

    /// The fences of the highest priority, then by id.
    func ranked(_ count: Int) -> [Int] {
        let merged = merge(parts.map { $0.ranked.prefix(count + parts.count).map(Int.init) }) { a, b in
            let (high, low) = (entries[a].priority, entries[b].priority)
            return high != low ? high > low : a < b
        }
        return Array(merged.prefix(count))
    }

    func nearest(_ count: Int, to place: EarthVector) -> [BoundaryTree.Found] {
        Array(merge(parts.map { $0.watchable.nearest(count, to: place) }, BoundaryTree.Found.isNearer).prefix(count))
    }

    func nearestTooLarge(_ count: Int, to place: EarthVector) -> [BoundaryTree.Found] {
        Array(merge(parts.map { $0.tooLarge.nearest(count, to: place) }, BoundaryTree.Found.isNearer).prefix(count))
    }

    /// Those too large included.
    func within(_ reach: Double, of place: EarthVector) -> [BoundaryTree.Found] {
        merge(
            parts.map { ($0.watchable.within(reach, of: place) + $0.tooLarge.within(reach, of: place)) }.map {
                $0.sorted(by: BoundaryTree.Found.isNearer)
            }, BoundaryTree.Found.isNearer)
    }

    func holding(_ place: EarthVector) -> [BoundaryTree.Found] {
        merge(
            parts.map { $0.watchable.holding(place).sorted(by: BoundaryTree.Found.isNearer) }, BoundaryTree.Found.isNearer)
    }

    /// Sorted lists as one, what is in several of them once.
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
            // A fence is in several parts only when it names several of a device's groups, or the device too; those for
            // everyone are in no other.
            let named = parts.filter { !$0.isEveryones }
            let everyones = parts.filter(\.isEveryones).reduce(0) { $0 + $1[keyPath: list].count }
            if named.count == 1 { return everyones + named[0][keyPath: list].count }
            return everyones + Set(named.flatMap { $0[keyPath: list] }).count
        }
    }
}
