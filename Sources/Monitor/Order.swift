import Geodesy
import Model

extension TransitionEngine {
    /// Puts transitions in order: a return first, then ways through a fence, exits, enters, dwells, then silence; within each by
    /// geofence id; a way's enter before its exit, as they come.
    func order(_ out: inout [Transition], from start: Int) {
        let count = out.count - start
        guard count > 1 else { return }
        ranks.removeAll()
        if count <= Self.few {
            for index in 0..<count { insert(rank(of: out[start + index], at: Int32(index))) }
        } else {
            let sorted = (0..<count).map { rank(of: out[start + $0], at: Int32($0)) }.sorted {
                precedes($0, $1) || !precedes($1, $0) && $0.index < $1.index
            }
            for rank in sorted { ranks.append(rank) }
        }
        // Each is taken from where it stood, or where that one was put meanwhile.
        for index in 0..<count {
            var source = Int(ranks[index].index)
            while source < index { source = Int(ranks[source].index) }
            if source != index { out.swapAt(start + index, start + source) }
        }
    }

    /// Where a transition belongs among others of one moment.
    struct Rank {
        var rank: Int32
        /// Where it stood.
        var index: Int32
        var fence: FenceKey
        var id: FenceID
    }

    /// More than that are not put in order by insertion.
    private static let few = 64

    /// By insertion: they come nearly in order.
    private func insert(_ rank: Rank) {
        ranks.append(rank)
        var place = ranks.count - 1
        while place > 0, precedes(rank, ranks[place - 1]) {
            ranks[place] = ranks[place - 1]
            place -= 1
        }
        ranks[place] = rank
    }

    private func precedes(_ a: Rank, _ b: Rank) -> Bool {
        if a.rank != b.rank { return a.rank < b.rank }
        if a.id != b.id { return a.id < b.id }
        return a.fence != b.fence && fences.precedes(a.fence, b.fence)
    }

    private func rank(of transition: Transition, at index: Int32) -> Rank {
        let rank: Int32
        switch transition.type {
        case .returned: rank = 0
        case .enter: rank = transition.inferred ? 1 : 3
        case .exit: rank = transition.inferred ? 1 : 2
        case .dwell, .alarm, .retracted: rank = 4
        case .silent: rank = 5
        }
        let fence = transition.fence ?? FenceKey(-1)
        return Rank(rank: rank, index: index, fence: fence, id: fences.shortID(fence))
    }
}
