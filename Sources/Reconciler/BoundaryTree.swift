import Geodesy

/// A spatial index of circles by the distance to their boundaries. It answers which boundaries are nearest to a point, and which circles
/// contain a point.
///
/// It is a k-d tree over four numbers: the three coordinates of the center and the radius. Each node is split along its widest axis. A
/// geofence the size of a country is therefore in another branch than the shops inside it, and does not widen the bounds of their nodes.
package struct BoundaryTree: Sendable {
    /// A circle in the index.
    struct Member: Sendable {
        var center: EarthVector
        /// Meters.
        var radius: Double
        /// The geofence's number among the candidates.
        var number: Int32
    }

    /// A circle that a search has found, with the minimum distance to its boundary.
    package struct NearbyCircle: Hashable, Sendable {
        package var number: Int
        /// Lower bound in meters.
        package var distance: Double

        static func isNearer(_ a: NearbyCircle, _ b: NearbyCircle) -> Bool {
            a.distance != b.distance ? a.distance < b.distance : a.number < b.number
        }
    }

    private struct Node: Sendable {
        var low: SIMD4<Double>
        var high: SIMD4<Double>
        var first: Int32
        var last: Int32
        /// Index of the second child; the first child directly follows its parent. 0 for a leaf.
        var second: Int32 = 0
    }

    /// Sorted by leaf. A circle that was removed after the tree was built keeps its place and has a negative number.
    private var members: [Member]
    private var nodes: [Node] = []
    /// Circles added after the tree was built, by the node number of their leaf.
    private var additions: [Int32: [Member]] = [:]
    private var additionCount = 0

    /// The number of circles in the index.
    private(set) var count: Int

    /// The maximum number of circles in a leaf when the tree is built.
    private static let leaf = 8

    /// - Complexity: O(n log n).
    init(_ members: [Member]) {
        self.members = members
        count = members.count
        nodes.reserveCapacity(members.count / 2 + 1)
        if !members.isEmpty { build(0, members.count) }
    }

    /// A lower bound of the distance from a point to a circle's boundary, in meters, computed from the chord between the point and the
    /// center. Outside the circle, no geodesic is shorter than its chord. Inside, no geodesic is longer than `longestGeodesic`. The factor
    /// for points inside covers the difference between two such estimates on an ellipsoid, up to 1,000 km.
    @inline(__always)
    static func distance(chord: Double, radius: Double) -> Double {
        if chord >= radius { return chord - radius }
        return max(0, radius * (1 - 2.5e-5) - EarthVector.longestGeodesic(chord: chord))
    }

    /// Whether a circle contains a point at distance `chord` (meters) from its center.
    @inline(__always)
    static func contains(chord: Double, radius: Double) -> Bool {
        chord <= radius && EarthVector.longestGeodesic(chord: chord) <= radius
    }

    /// The circles whose boundaries are nearest, sorted by distance, then by number.
    ///
    /// - Complexity: O(log n + count) if the circles are spread out; O(n) in the worst case.
    func nearest(_ count: Int, to place: EarthVector) -> [NearbyCircle] {
        guard count > 0, !nodes.isEmpty else { return [] }
        var best: [NearbyCircle] = []
        best.reserveCapacity(count + 1)
        var open: [(node: Int32, bound: Double)] = [(0, 0)]
        while let (number, bound) = open.popLast() {
            if best.count == count, bound > best[count - 1].distance { continue }
            let node = nodes[Int(number)]
            if node.second == 0 {
                forEachMember(ofLeaf: number) { member in
                    let chord = place.chordSquared(to: member.center).squareRoot()
                    Self.insert(
                        NearbyCircle(number: Int(member.number), distance: Self.distance(chord: chord, radius: member.radius)),
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

    /// All circles whose boundary is at most `reach` meters away, unsorted.
    func within(_ reach: Double, of place: EarthVector) -> [NearbyCircle] {
        var found: [NearbyCircle] = []
        visit(place, { Self.bound($0, place) <= reach }) { chord, member in
            let distance = Self.distance(chord: chord, radius: member.radius)
            if distance <= reach { found.append(NearbyCircle(number: Int(member.number), distance: distance)) }
        }
        return found
    }

    /// All circles that contain the point, unsorted.
    func containing(_ place: EarthVector) -> [NearbyCircle] {
        var found: [NearbyCircle] = []
        visit(place, { Self.chords($0, place).nearest <= $0.high.w }) { chord, member in
            guard Self.contains(chord: chord, radius: member.radius) else { return }
            found.append(NearbyCircle(number: Int(member.number), distance: Self.distance(chord: chord, radius: member.radius)))
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
                forEachMember(ofLeaf: number) { member in body(place.chordSquared(to: member.center).squareRoot(), member) }
            } else {
                open += [node.second, number + 1]
            }
        }
    }

    @inline(__always)
    private func forEachMember(ofLeaf number: Int32, _ body: (Member) -> Void) {
        let leaf = nodes[Int(number)]
        for member in members[Int(leaf.first)..<Int(leaf.last)] where member.number >= 0 { body(member) }
        guard additionCount > 0, let added = additions[number] else { return }
        for member in added { body(member) }
    }

    /// The shortest and the longest chord from the point to a center within the node's bounds.
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

    /// A lower bound of the distance from the point to any boundary in the node, in meters.
    private static func bound(_ node: Node, _ place: EarthVector) -> Double {
        let chords = chords(node, place)
        let (smallest, largest) = (node.low.w, node.high.w)
        if chords.nearest > largest { return chords.nearest - largest }
        if chords.furthest < smallest { return distance(chord: chords.furthest, radius: smallest) }
        return 0
    }

    private static func insert(_ found: NearbyCircle, into best: inout [NearbyCircle], most: Int) {
        if best.count == most {
            guard NearbyCircle.isNearer(found, best[most - 1]) else { return }
            best.removeLast()
        }
        var index = best.count
        best.append(found)
        while index > 0, NearbyCircle.isNearer(found, best[index - 1]) {
            best[index] = best[index - 1]
            index -= 1
        }
        best[index] = found
    }

    // MARK: - Changing

    /// Renumbers the circles, and removes those whose new number is negative. The relative order of the others must stay the same.
    ///
    /// - Parameter numbers: The new numbers, indexed by old number.
    /// - Complexity: O(n).
    mutating func renumber(_ numbers: [Int32]) {
        for index in members.indices where members[index].number >= 0 {
            members[index].number = numbers[Int(members[index].number)]
            if members[index].number < 0 { count -= 1 }
        }
        for leaf in additions.keys {
            var kept = additions[leaf, default: []]
            for index in kept.indices { kept[index].number = numbers[Int(kept[index].number)] }
            let before = kept.count
            kept.removeAll { $0.number < 0 }
            count -= before - kept.count
            additionCount -= before - kept.count
            additions[leaf] = kept.isEmpty ? nil : kept
        }
    }

    /// Adds each circle to the leaf whose bounds grow least. Rebuilds the tree when so many circles were added that searches would become
    /// slow.
    ///
    /// - Complexity: O(k log n) for k circles; O(n log n) for the rebuild once in n / 4 additions.
    mutating func insert(_ added: [Member]) {
        if added.isEmpty { return }
        guard additionCount + added.count <= max(256, members.count / 4) else {
            var all = members.filter { $0.number >= 0 } + added
            for more in additions.values { all += more }
            self = BoundaryTree(all)
            return
        }
        if nodes.isEmpty {
            self = BoundaryTree(added)
            return
        }
        for member in added {
            let point = Self.point(member)
            var number = Int32(0)
            while true {
                let node = nodes[Int(number)]
                nodes[Int(number)].low = node.low.replacing(with: point, where: point .< node.low)
                nodes[Int(number)].high = node.high.replacing(with: point, where: point .> node.high)
                if node.second == 0 { break }
                let (first, second) = (growth(of: number + 1, by: point), growth(of: node.second, by: point))
                number = first <= second ? number + 1 : node.second
            }
            additions[number, default: []].append(member)
        }
        additionCount += added.count
        count += added.count
    }

    /// The meters by which a node's bounds would have to grow to include a point, summed over all axes.
    private func growth(of number: Int32, by point: SIMD4<Double>) -> Double {
        let node = nodes[Int(number)]
        let zero = SIMD4<Double>(repeating: 0)
        return (node.low - point).replacing(with: zero, where: node.low .< point).sum()
            + (point - node.high).replacing(with: zero, where: point .< node.high).sum()
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

    /// Partially sorts the circles along an axis, so that the smaller ones come before `middle` (Hoare's selection algorithm).
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
