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
    func order(_ out: inout [Transition]) {
        defer { moments.removeAll() }
        guard moments.count > 0, out.count > Int(moments[0]) + 1 else { return }
        orderMoments(&out)
    }

    @inline(never)
    private func orderMoments(_ out: inout [Transition]) {
        for number in moments.indices {
            let start = Int(moments[number])
            order(&out, start..<(number + 1 < moments.count ? Int(moments[number + 1]) : out.count))
        }
    }

    private func order(_ out: inout [Transition], _ range: Range<Int>) {
        guard range.count > 1 else { return }
        ranks.removeAll()
        for index in range {
            let transition = out[index]
            ranks.append(
                Rank(
                    rank: Self.rank(of: transition), index: Int32(index - range.lowerBound),
                    fence: transition.fence ?? FenceKey(-1),
                    id: transition.fence.map(fences.shortID) ?? FenceID("")))
        }
        if ranks.count <= Self.few {
            for index in 1..<ranks.count { insert(index) }
        } else {
            let sorted = ranks.indices.map { ranks[$0] }.sorted(by: precedes)
            for index in ranks.indices { ranks[index] = sorted[index] }
        }
        for index in ranks.indices where ranks[index].index != index { turn(&out, range.lowerBound, index) }
    }

    /// Up to this many transitions are sorted by insertion.
    private static let few = 64

    /// One step of insertion sort. Insertion is fast here because the input is nearly sorted.
    private func insert(_ index: Int) {
        let rank = ranks[index]
        var place = index
        while place > 0, precedes(rank, ranks[place - 1]) {
            ranks[place] = ranks[place - 1]
            place -= 1
        }
        if place != index { ranks[place] = rank }
    }

    /// Applies one cycle of the permutation: moves a transition to its place, the transition that was there to its own place, and so on.
    private func turn(_ out: inout [Transition], _ start: Int, _ first: Int) {
        let held = out[start + first]
        var place = first
        while true {
            let source = Int(ranks[place].index)
            ranks[place].index = Int32(place)
            if source == first { break }
            out[start + place] = out[start + source]
            place = source
        }
        out[start + place] = held
    }

    /// The sort key of a transition among those of one moment.
    struct Rank {
        var rank: Int32
        /// The transition's index before sorting.
        var index: Int32
        var fence: FenceKey
        var id: FenceID
    }

    private func precedes(_ a: Rank, _ b: Rank) -> Bool {
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
