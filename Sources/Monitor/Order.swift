import Geodesy
import Model

extension TransitionEngine {
    /// Begins to tell what belongs to one moment, to be put in order when all is told: where it will begin.
    func begin(_ out: [Transition]) -> Int {
        ranks.removeAll()
        return out.count
    }

    /// Tells a transition, and notes where it belongs.
    ///
    /// - Parameter position: That of its fence; if it is not known, it is looked up.
    @inline(__always)
    func tell(_ transition: Transition, _ position: Int32?, _ out: inout [Transition]) {
        let id: FenceID
        if let position, position >= 0 {
            id = fences.places[Int(position)].id
        } else {
            id = transition.fence.map(fences.shortID) ?? FenceID("")
        }
        ranks.append(
            Rank(
                rank: Self.rank(of: transition), index: Int32(ranks.count), fence: transition.fence ?? FenceKey(-1), id: id))
        out.append(transition)
    }

    /// Puts what was told since `begin` in order: a return first, then ways through a fence, exits, enters, dwells, then silence;
    /// within each by geofence id; a way's enter before its exit, as they come.
    func order(_ out: inout [Transition], from start: Int) {
        let count = out.count - start
        precondition(count == ranks.count, "a transition without a rank")
        guard count > 1 else { return }
        if count <= Self.few {
            for index in 1..<count { insert(index) }
        } else {
            let sorted = ranks.indices.map { ranks[$0] }.sorted {
                precedes($0, $1) || !precedes($1, $0) && $0.index < $1.index
            }
            for index in 0..<count { ranks[index] = sorted[index] }
        }
        for index in 0..<count where ranks[index].index != index { turn(&out, start, index) }
    }

    /// Brings a transition to its place, the one that stood there to its own, and so on round.
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

    /// Brings one to its place among those before it, which are in order: they come nearly so.
    private func insert(_ index: Int) {
        let rank = ranks[index]
        var place = index
        while place > 0, precedes(rank, ranks[place - 1]) {
            ranks[place] = ranks[place - 1]
            place -= 1
        }
        if place != index { ranks[place] = rank }
    }

    private func precedes(_ a: Rank, _ b: Rank) -> Bool {
        if a.rank != b.rank { return a.rank < b.rank }
        if a.id != b.id { return a.id < b.id }
        return a.fence != b.fence && fences.precedes(a.fence, b.fence)
    }

    @inline(__always)
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
