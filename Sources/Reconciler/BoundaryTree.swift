import Geodesy

/// Circles by the distance to their boundaries: which edges are nearest to a place, whose circles hold it?
///
/// A k-d tree over four numbers, the three of the centre and the radius, split where it is widest. So a fence the size of a country
/// lies in another branch than the shops in it, and a search is not led astray by it.
struct BoundaryTree: Sendable {
    struct Member: Sendable {
        var center: EarthVector
        /// Metres.
        var radius: Double
        /// Whose circle it is.
        var number: Int32
    }

    /// A circle found, by number, and the least that its boundary can be away.
    struct Found: Hashable, Sendable {
        var number: Int
        /// Metres.
        var distance: Double

        static func isNearer(_ a: Found, _ b: Found) -> Bool {
            a.distance != b.distance ? a.distance < b.distance : a.number < b.number
        }
    }

    private struct Node: Sendable {
        var low: SIMD4<Double>
        var high: SIMD4<Double>
        var first: Int32
        var last: Int32
        /// The second child; the first follows its parent. 0 for a leaf.
        var second: Int32 = 0
    }

    private var members: [Member]
    private var nodes: [Node] = []

    /// The most circles of a leaf.
    private static let leaf = 8

    var count: Int { members.count }

    /// - Complexity: O(n log n).
    init(_ members: [Member]) {
        self.members = members
        nodes.reserveCapacity(members.count / 2 + 1)
        if !members.isEmpty { build(0, members.count) }
    }

    /// The least that the boundary of a circle can be away from a place, in metres, by the chord between place and centre: from
    /// outside no geodesic is shorter than its chord, and from inside none is longer than `longestGeodesic`. The share taken off
    /// from inside is what two such estimates can differ by on an ellipsoid, up to 1,000 km.
    @inline(__always)
    static func distance(chord: Double, radius: Double) -> Double {
        if chord >= radius { return chord - radius }
        return max(0, radius * (1 - 2.5e-5) - EarthVector.longestGeodesic(chord: chord))
    }

    /// Whether a circle holds the place at that chord from its centre.
    @inline(__always)
    static func holds(chord: Double, radius: Double) -> Bool {
        chord <= radius && EarthVector.longestGeodesic(chord: chord) <= radius
    }

    /// The circles whose boundaries are nearest, nearest first; of equal ones the lower number.
    ///
    /// - Complexity: O(log n + count) for circles spread out; O(n) at worst.
    func nearest(_ count: Int, to place: EarthVector) -> [Found] {
        guard count > 0, !nodes.isEmpty else { return [] }
        var best: [Found] = []
        best.reserveCapacity(count + 1)
        var open: [(node: Int32, bound: Double)] = [(0, 0)]
        while let (number, bound) = open.popLast() {
            if best.count == count, bound > best[count - 1].distance { continue }
            let node = nodes[Int(number)]
            if node.second == 0 {
                for member in members[Int(node.first)..<Int(node.last)] {
                    let chord = place.chordSquared(to: member.center).squareRoot()
                    Self.insert(
                        Found(number: Int(member.number), distance: Self.distance(chord: chord, radius: member.radius)),
                        into: &best, most: count)
                }
            } else {
                let first = (node: number + 1, bound: Self.bound(nodes[Int(number) + 1], place))
                let second = (node: node.second, bound: Self.bound(nodes[Int(node.second)], place))
                if first.bound <= second.bound { open += [second, first] } else { open += [first, second] }
            }
        }
        return best
    }

    /// Every circle whose boundary may be at most `reach` metres away, in no particular order.
    func within(_ reach: Double, of place: EarthVector) -> [Found] {
        var found: [Found] = []
        visit(place, { Self.bound($0, place) <= reach }) { chord, member in
            let distance = Self.distance(chord: chord, radius: member.radius)
            if distance <= reach { found.append(Found(number: Int(member.number), distance: distance)) }
        }
        return found
    }

    /// Every circle that holds the place, in no particular order.
    func holding(_ place: EarthVector) -> [Found] {
        var found: [Found] = []
        visit(place, { Self.chords($0, place).nearest <= $0.high.w }) { chord, member in
            guard Self.holds(chord: chord, radius: member.radius) else { return }
            found.append(Found(number: Int(member.number), distance: Self.distance(chord: chord, radius: member.radius)))
        }
        return found
    }

    // MARK: - Searching

    private func visit(_ place: EarthVector, _ enters: (Node) -> Bool, _ body: (Double, Member) -> Void) {
        guard !nodes.isEmpty else { return }
        var open: [Int32] = [0]
        while let number = open.popLast() {
            let node = nodes[Int(number)]
            guard enters(node) else { continue }
            if node.second == 0 {
                for member in members[Int(node.first)..<Int(node.last)] {
                    body(place.chordSquared(to: member.center).squareRoot(), member)
                }
            } else {
                open += [node.second, number + 1]
            }
        }
    }

    /// The nearest and the furthest that a centre of the node can be.
    private static func chords(_ node: Node, _ place: EarthVector) -> (nearest: Double, furthest: Double) {
        let place = SIMD4(place.x, place.y, place.z, 0)
        var below = node.low - place
        var above = place - node.high
        below.w = 0
        above.w = 0
        let outside = below.replacing(with: above, where: above .> below).replacing(with: 0, where: (below .< 0) .& (above .< 0))
        let far = (-below).replacing(with: -above, where: above .< below)
        return ((outside * outside).sum().squareRoot(), (far * far).sum().squareRoot())
    }

    /// The least that a boundary of the node can be away.
    private static func bound(_ node: Node, _ place: EarthVector) -> Double {
        let chords = chords(node, place)
        let (smallest, largest) = (node.low.w, node.high.w)
        if chords.nearest > largest { return chords.nearest - largest }
        if chords.furthest < smallest { return distance(chord: chords.furthest, radius: smallest) }
        return 0
    }

    private static func insert(_ found: Found, into best: inout [Found], most: Int) {
        if best.count == most {
            guard Found.isNearer(found, best[most - 1]) else { return }
            best.removeLast()
        }
        var index = best.count
        best.append(found)
        while index > 0, Found.isNearer(found, best[index - 1]) {
            best[index] = best[index - 1]
            index -= 1
        }
        best[index] = found
    }

    // MARK: - Building

    private mutating func build(_ first: Int, _ last: Int) {
        var low = SIMD4<Double>(repeating: .infinity)
        var high = SIMD4<Double>(repeating: -.infinity)
        for member in members[first..<last] {
            let point = Self.point(member)
            low = low.replacing(with: point, where: point .< low)
            high = high.replacing(with: point, where: point .> high)
        }
        let number = nodes.count
        nodes.append(Node(low: low, high: high, first: Int32(first), last: Int32(last)))
        guard last - first > Self.leaf else { return }
        let extent = high - low
        guard let axis = (0..<4).max(by: { extent[$0] < extent[$1] }), extent[axis] > 0 else { return }
        let middle = (first + last) / 2
        split(first, last, at: middle, axis)
        build(first, middle)
        nodes[number].second = Int32(nodes.count)
        build(middle, last)
    }

    private static func point(_ member: Member) -> SIMD4<Double> {
        SIMD4(member.center.x, member.center.y, member.center.z, member.radius)
    }

    /// Brings the smaller ones along an axis before `middle` (Hoare's selection).
    private mutating func split(_ first: Int, _ last: Int, at middle: Int, _ axis: Int) {
        var low = first
        var high = last - 1
        while low < high {
            let pivot = Self.point(members[(low + high) / 2])[axis]
            var i = low
            var j = high
            while i <= j {
                while Self.point(members[i])[axis] < pivot { i += 1 }
                while Self.point(members[j])[axis] > pivot { j -= 1 }
                if i <= j {
                    members.swapAt(i, j)
                    i += 1
                    j -= 1
                }
            }
            if middle <= j { high = j } else if middle >= i { low = i } else { return }
        }
    }
}
