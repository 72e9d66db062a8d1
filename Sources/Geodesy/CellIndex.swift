/// A spatial index of bounding boxes: finds the boxes that may contain a point.
///
/// The index divides longitude and latitude into square cells, at levels that halve the side (level 0 is one cell of 360°). A box
/// is stored at the finest level whose cells are not smaller than the box, so it touches at most four cells, regardless of its
/// size. A query reads one cell per level, and only levels that contain boxes. Cells are in a hash table, and the boxes of a cell
/// are contiguous.
public struct CellIndex: Sendable {
    @usableFromInline
    struct Cell: Sendable {
        /// The cell's level, column and row; `CellIndex.empty` in a free slot.
        @usableFromInline var key: UInt64
        @usableFromInline var start: Int32
        @usableFromInline var count: Int32

        @inlinable
        init(key: UInt64, start: Int32, count: Int32) {
            self.key = key
            self.start = start
            self.count = count
        }
    }

    @usableFromInline static let empty = UInt64.max
    /// The finest level: cells of 360° / 2²⁵, about 1.2 m.
    @usableFromInline static let finest = 25

    /// Hash table with open addressing. Its capacity is a power of two, and at most half of it is used.
    @usableFromInline var cells: [Cell]
    /// The numbers of the boxes, grouped by cell.
    @usableFromInline var members: [Int32]
    /// The levels that contain boxes.
    @usableFromInline var levels: [Int]

    /// Indexes boxes. A box's number is its index in the array.
    ///
    /// - Complexity: O(n log n) time; about 30 bytes per box.
    public init(_ boxes: [BoundingBox]) {
        // One pass collects (cell, box) pairs, and one sort groups them by cell.
        var pairs: [(key: UInt64, box: Int32)] = []
        pairs.reserveCapacity(boxes.count * 2)
        var used = [Bool](repeating: false, count: Self.finest + 1)
        for (number, box) in boxes.enumerated() {
            let level = Self.level(of: box)
            used[level] = true
            Self.forEachCell(of: box, level: level) { pairs.append(($0, Int32(number))) }
        }
        pairs.sort { $0.key != $1.key ? $0.key < $1.key : $0.box < $1.box }

        var distinct = 0
        for index in pairs.indices where index == 0 || pairs[index].key != pairs[index - 1].key { distinct += 1 }
        var capacity = 16
        while capacity < distinct * 2 { capacity *= 2 }
        cells = [Cell](repeating: Cell(key: Self.empty, start: 0, count: 0), count: capacity)
        members = []
        members.reserveCapacity(pairs.count)
        levels = used.indices.filter { used[$0] }

        var index = 0
        while index < pairs.count {
            let key = pairs[index].key
            let start = members.count
            while index < pairs.count && pairs[index].key == key {
                // A box around the whole earth can be listed twice in a cell.
                if members.count == start || members[members.count - 1] != pairs[index].box {
                    members.append(pairs[index].box)
                }
                index += 1
            }
            var slot = Self.slot(key, capacity)
            while cells[slot].key != Self.empty { slot = (slot + 1) & (capacity - 1) }
            cells[slot] = Cell(key: key, start: Int32(start), count: Int32(members.count - start))
        }
    }

    /// Calls `body` with the number of each box that may contain the position: all that do, and a few others, each once.
    ///
    /// - Complexity: O(levels in use + boxes in the place's cells).
    @inlinable
    public func forEachCandidate(at place: Coordinate, _ body: (Int) -> Void) {
        unsafe members.withUnsafeBufferPointer { members in
            unsafe cells.withUnsafeBufferPointer { cells in
                for level in levels {
                    let key = Self.key(level: level, Self.column(place.longitude, level), Self.row(place.latitude, level))
                    var slot = Self.slot(key, cells.count)
                    while true {
                        let cell = unsafe cells[slot]
                        if cell.key == key {
                            for index in Int(cell.start)..<Int(cell.start + cell.count) { unsafe body(Int(members[index])) }
                            break
                        }
                        if cell.key == Self.empty { break }
                        slot = (slot + 1) & (cells.count - 1)
                    }
                }
            }
        }
    }

    /// The numbers of the boxes that may intersect `box`, ascending, each once.
    ///
    /// - Complexity: O(cells that `box` covers at each level in use), or O(all cells) where that is less.
    public func candidates(meeting box: BoundingBox) -> [Int] {
        var found: Set<Int32> = []
        for level in levels {
            let size = Self.cellSize(level)
            let wanted = ((box.east - box.west) / size + 1) * ((box.north - box.south) / size + 1)
            if wanted > Double(cells.count) {
                for cell in cells where cell.key != Self.empty && Int(cell.key >> 58) == level {
                    for index in Int(cell.start)..<Int(cell.start + cell.count) { found.insert(members[index]) }
                }
            } else {
                Self.forEachCell(of: box, level: level) { key in
                    var slot = Self.slot(key, cells.count)
                    while cells[slot].key != Self.empty {
                        let cell = cells[slot]
                        if cell.key == key {
                            for index in Int(cell.start)..<Int(cell.start + cell.count) { found.insert(members[index]) }
                            break
                        }
                        slot = (slot + 1) & (cells.count - 1)
                    }
                }
            }
        }
        return found.map(Int.init).sorted()
    }

    // MARK: - Cells

    /// The side of a cell in degrees.
    @inlinable
    static func cellSize(_ level: Int) -> Double { 360 / Double(1 << level) }

    /// The finest level whose cells are not smaller than the box.
    static func level(of box: BoundingBox) -> Int {
        let span = max(box.east - box.west, box.north - box.south)
        var level = 0
        while level < finest && cellSize(level + 1) >= span { level += 1 }
        return level
    }

    @inlinable
    static func column(_ longitude: Double, _ level: Int) -> Int {
        // −180 and 180 are the same meridian, and so the same column.
        let column = Int(((longitude + 180) / cellSize(level)).rounded(.down))
        return column & ((1 << level) - 1)
    }

    @inlinable
    static func row(_ latitude: Double, _ level: Int) -> Int {
        Int(((latitude + 90) / cellSize(level)).rounded(.down))
    }

    @inlinable
    static func key(level: Int, _ column: Int, _ row: Int) -> UInt64 {
        UInt64(level) << 58 | UInt64(column) << 29 | UInt64(row)
    }

    /// The slot where the search for a key starts: Fibonacci hashing, with 2⁶⁴ divided by the golden ratio.
    @inlinable
    static func slot(_ key: UInt64, _ capacity: Int) -> Int {
        let mixed = key &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: (mixed ^ (mixed >> 32)) & UInt64(capacity - 1))
    }

    private static func forEachCell(of box: BoundingBox, level: Int, _ body: (UInt64) -> Void) {
        let size = cellSize(level)
        let first = Int(((box.west + 180) / size).rounded(.down))
        let last = min(Int(((box.east + 180) / size).rounded(.down)), first + (1 << level) - 1)
        for row in row(max(box.south, -90), level)...max(row(max(box.south, -90), level), row(min(box.north, 90), level)) {
            for column in first...max(first, last) {
                body(key(level: level, column & ((1 << level) - 1), row))
            }
        }
    }
}
