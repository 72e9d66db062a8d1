/// The active fences of a catalogue that are for the same devices, by their numbers in the catalogue.
struct FenceAudience: Sendable {
    /// Those that can be registered: the highest priority first, then by id.
    private(set) var ranked: [Int32] = []
    /// Those that can be registered.
    private(set) var watchable = BoundaryTree([])
    /// Those too large to be registered.
    private(set) var tooLarge = BoundaryTree([])
    /// The first of those that cannot be registered at all.
    private(set) var unwatchable: [Int32] = []
    /// All of them, ascending.
    private(set) var all: [Int32] = []
    /// Whether they name nobody.
    let isEveryones: Bool

    /// At most so many are kept that cannot be registered.
    private static let mostUnwatchable = 100

    init(isEveryones: Bool) { self.isEveryones = isEveryones }

    /// Adds fences.
    ///
    /// - Parameters:
    ///   - added: Their numbers, ascending, none of them known.
    ///   - entries: Those of the catalogue, by number.
    /// - Complexity: O(n + k log n) for n fences and k that are added.
    mutating func add(_ added: [Int32], _ entries: [FenceCatalogue.Entry]) {
        func members(_ isWanted: (FenceCatalogue.Watchability) -> Bool) -> [BoundaryTree.Member] {
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
        self.unwatchable = Array(Self.merge(self.unwatchable, unwatchable, by: <).prefix(Self.mostUnwatchable))
    }

    /// Gives each fence another number, and removes those that get a negative one. The order of the others must stay as it is.
    ///
    /// - Parameters:
    ///   - numbers: The new number of each fence, by its old one.
    ///   - entries: Those of the catalogue, by new number.
    /// - Complexity: O(n).
    mutating func renumber(_ numbers: [Int32], _ entries: [FenceCatalogue.Entry]) {
        func renumbered(_ list: [Int32]) -> [Int32] {
            list.compactMap { number in numbers[Int(number)] < 0 ? nil : numbers[Int(number)] }
        }
        all = renumbered(all)
        ranked = renumbered(ranked)
        watchable.renumber(numbers)
        tooLarge.renumber(numbers)
        let rest = renumbered(unwatchable)
        let isShort = unwatchable.count == Self.mostUnwatchable && rest.count < unwatchable.count
        unwatchable =
            isShort
            ? Array(all.lazy.filter { !entries[Int($0)].watchability.isWatchable }.prefix(Self.mostUnwatchable)) : rest
    }

    /// Two sorted lists as one.
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
