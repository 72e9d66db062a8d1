/// The active geofences of `RegionCandidates` that name the same recipient: everyone, one device, or one group. A geofence is
/// represented by its number: its index among the candidates, which follows the order of the ids. A geofence that names several
/// recipients is in the audience of each.
struct FenceAudience: Sendable {
    /// The geofences that can be registered, by descending priority, then by id.
    private(set) var ranked: [Int32] = []
    /// A spatial index of the geofences that can be registered with the operating system.
    private(set) var watchable = BoundaryTree([])
    /// A spatial index of the geofences that are too large to be registered. The sentinel can guard them.
    private(set) var tooLarge = BoundaryTree([])
    /// The lowest numbers of the geofences that cannot be registered (too large or malformed), at most `mostUnwatchable`.
    private(set) var unwatchable: [Int32] = []
    /// The numbers of all geofences, ascending.
    private(set) var all: [Int32] = []
    /// Whether the geofences name neither a device nor a group, and so apply to everyone.
    let appliesToEveryone: Bool

    /// The maximum length of `unwatchable`.
    private static let maxUnwatchable = 100

    init(appliesToEveryone: Bool) { self.appliesToEveryone = appliesToEveryone }

    /// - Parameters:
    ///   - added: The numbers of the new geofences, ascending. None of them is in the audience yet.
    ///   - entries: The candidates, by number.
    /// - Complexity: O(n + k log n) for n geofences and k additions.
    mutating func add(_ added: [Int32], _ entries: [RegionCandidates.RegionCandidate]) {
        func members(_ isWanted: (RegionCandidates.Watchability) -> Bool) -> [BoundaryTree.Member] {
            added.compactMap { number in
                let entry = entries[Int(number)]
                guard isWanted(entry.watchability), entry.usedRadius.isFinite else { return nil }
                return BoundaryTree.Member(center: entry.center, radius: entry.usedRadius, number: number)
            }
        }
        watchable.insert(members(\.isWatchable))
        tooLarge.insert(members { $0 == .tooLarge })
        func isBefore(_ a: Int32, _ b: Int32) -> Bool {
            let (high, low) = (entries[Int(a)].priority, entries[Int(b)].priority)
            return high != low ? high > low : a < b
        }
        all = Self.merge(all, added, by: <)
        ranked = Self.merge(
            ranked, added.filter { entries[Int($0)].watchability.isWatchable }.sorted(by: isBefore), by: isBefore)
        let unwatchable = added.filter { !entries[Int($0)].watchability.isWatchable }
        self.unwatchable = Array(Self.merge(self.unwatchable, unwatchable, by: <).prefix(Self.maxUnwatchable))
    }

    /// Renumbers the geofences, and removes those whose new number is negative. The relative order of the others must stay the
    /// same.
    ///
    /// - Parameters:
    ///   - numbers: The new numbers, indexed by old number.
    ///   - entries: The candidates, by new number.
    /// - Complexity: O(n).
    mutating func renumber(_ numbers: [Int32], _ entries: [RegionCandidates.RegionCandidate]) {
        func renumbered(_ list: [Int32]) -> [Int32] {
            list.compactMap { number in numbers[Int(number)] < 0 ? nil : numbers[Int(number)] }
        }
        all = renumbered(all)
        ranked = renumbered(ranked)
        watchable.renumber(numbers)
        tooLarge.renumber(numbers)
        let rest = renumbered(unwatchable)
        // `unwatchable` was cut off at the maximum and has lost numbers, so later geofences have to be found for it.
        let isShort = unwatchable.count == Self.maxUnwatchable && rest.count < unwatchable.count
        unwatchable =
            isShort
            ? Array(all.lazy.filter { !entries[Int($0)].watchability.isWatchable }.prefix(Self.maxUnwatchable)) : rest
    }

    /// Merges two sorted lists.
    ///
    /// - Complexity: O(n + k log n) for n numbers in `list` and k in `added`.
    private static func merge(_ list: [Int32], _ added: [Int32], by isBefore: (Int32, Int32) -> Bool) -> [Int32] {
        if list.isEmpty { return added }
        var merged: [Int32] = []
        merged.reserveCapacity(list.count + added.count)
        var start = 0
        for number in added {
            var (low, high) = (start, list.count)
            while low < high {
                let middle = (low + high) / 2
                if isBefore(list[middle], number) { low = middle + 1 } else { high = middle }
            }
            merged += list[start..<low]
            merged.append(number)
            start = low
        }
        return merged + list[start...]
    }
}
