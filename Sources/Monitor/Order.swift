import Model

// The order of transitions that happen at one moment. The decisions append transitions in any order; each public call of the engine sorts
// what it appended before it returns.

extension TransitionEngine {
    /// Marks where the transitions of a new moment begin.
    @inline(__always)
    func beginMoment(_ out: [Transition]) { moments.append(Int32(out.count)) }

    /// Sorts the transitions of each moment: a return first, then passes through fences, exits, enters, dwells, then silence; within each
    /// group by geofence id. The enter of a pass-through stays before its exit.
    @inline(__always)
    func sortTransitions(_ out: inout [Transition]) {
        defer { moments.removeAll() }
        guard moments.count > 0, out.count > Int(moments[0]) + 1 else { return }
        sortMoments(&out)
    }

    @inline(never)
    private func sortMoments(_ out: inout [Transition]) {
        for number in moments.indices {
            let start = Int(moments[number])
            sortTransitions(&out, in: start..<(number + 1 < moments.count ? Int(moments[number + 1]) : out.count))
        }
    }

    private func sortTransitions(_ out: inout [Transition], in range: Range<Int>) {
        guard range.count > 1 else { return }
        sortKeys.removeAll()
        for index in range {
            let transition = out[index]
            sortKeys.append(
                SortKey(
                    rank: Self.rank(of: transition), index: Int32(index - range.lowerBound),
                    fence: transition.fence ?? FenceKey(-1),
                    id: transition.fence.map(fences.idPrefix) ?? FenceID("")))
        }
        if sortKeys.count <= Self.insertionSortLimit {
            for index in 1..<sortKeys.count { insertSortKey(at: index) }
        } else {
            let sorted = sortKeys.indices.map { sortKeys[$0] }.sorted(by: precedes)
            for index in sortKeys.indices { sortKeys[index] = sorted[index] }
        }
        for index in sortKeys.indices where sortKeys[index].index != index {
            applyCycle(to: &out, offset: range.lowerBound, startingAt: index)
        }
    }

    /// Up to this many transitions are sorted by insertion.
    private static let insertionSortLimit = 64

    /// One step of insertion sort. Insertion is fast here because the input is nearly sorted.
    private func insertSortKey(at index: Int) {
        let rank = sortKeys[index]
        var place = index
        while place > 0, precedes(rank, sortKeys[place - 1]) {
            sortKeys[place] = sortKeys[place - 1]
            place -= 1
        }
        if place != index { sortKeys[place] = rank }
    }

    /// Applies one cycle of the permutation: moves a transition to its place, the transition that was there to its own place, and so on.
    private func applyCycle(to out: inout [Transition], offset start: Int, startingAt first: Int) {
        let held = out[start + first]
        var place = first
        while true {
            let source = Int(sortKeys[place].index)
            sortKeys[place].index = Int32(place)
            if source == first { break }
            out[start + place] = out[start + source]
            place = source
        }
        out[start + place] = held
    }

    /// The sort key of a transition among those of one moment.
    struct SortKey {
        var rank: Int32
        /// The transition's index before sorting.
        var index: Int32
        var fence: FenceKey
        var id: FenceID
    }

    private func precedes(_ a: SortKey, _ b: SortKey) -> Bool {
        if a.rank != b.rank { return a.rank < b.rank }
        if a.id != b.id { return a.id < b.id }
        return a.fence == b.fence ? a.index < b.index : fences.precedes(a.fence, b.fence)
    }

    private static func rank(of transition: Transition) -> Int32 {
        switch transition.type {
        case .returned: 0
        case .enter: transition.inferred ? 1 : 3
        case .exit: transition.inferred ? 1 : 2
        case .dwell, .alarm, .missed, .retracted: 4
        case .silent: 5
        }
    }
}
