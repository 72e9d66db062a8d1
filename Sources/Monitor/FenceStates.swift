/// The states of the fences that a device is not simply outside of, in no order. The first four are stored inline, because most devices
/// have no more, and an array elsewhere costs one more memory access per fix (some 150 ns when it is not cached).
struct FenceStates: Sendable {
    private static let inline = 4

    private var first = InlineArray<4, PackedFenceState>(repeating: PackedFenceState(.init(-1), .unknown))
    private(set) var count = 0
    private var rest: [PackedFenceState] = []
    /// Pending transitions, by the index that states keep; nil where an index is free.
    private var pendings: [PendingTransition?] = []
    private var free: [Int32] = []

    /// When no transition is pending any more, storage for more than this number is released.
    private static let keptRoom = 4

    var indices: Range<Int> { 0..<count }

    var hasPending: Bool { pendings.count > free.count }

    @inline(__always)
    subscript(index: Int) -> PackedFenceState {
        get { index < Self.inline ? first[index] : rest[index - Self.inline] }
        set { if index < Self.inline { first[index] = newValue } else { rest[index - Self.inline] = newValue } }
    }

    /// The pending transition of a state.
    func pending(_ state: PackedFenceState) -> PendingTransition? { state.pending < 0 ? nil : pendings[Int(state.pending)] }

    mutating func append(_ state: PackedFenceState, _ pending: PendingTransition?) {
        var state = state
        state.pending = keep(pending, at: -1)
        if count < Self.inline { first[count] = state } else { rest.append(state) }
        count += 1
    }

    /// Replaces a state, except for its fence's position in the set.
    mutating func update(at index: Int, _ state: PackedFenceState, _ pending: PendingTransition?) {
        let known = self[index]
        var state = state
        state.position = known.position
        state.isPlain = known.isPlain
        state.pending = keep(pending, at: known.pending)
        self[index] = state
    }

    /// Removes a state; the last state takes its index.
    mutating func remove(at index: Int) {
        _ = keep(nil, at: self[index].pending)
        self[index] = self[count - 1]
        if count > Self.inline { rest.removeLast() }
        count -= 1
    }

    /// The index of the first state that meets a condition.
    func firstIndex(where condition: (PackedFenceState) -> Bool) -> Int? {
        for index in indices where condition(self[index]) { return index }
        return nil
    }

    /// Stores a pending transition in place of the one at `index` (−1: none).
    ///
    /// - Returns: Its index; −1 if `pending` is nil.
    private mutating func keep(_ pending: PendingTransition?, at index: Int32) -> Int32 {
        guard let pending else {
            if index >= 0 { release(index) }
            return -1
        }
        guard let index = index >= 0 ? index : free.popLast() else {
            pendings.append(pending)
            return Int32(pendings.count - 1)
        }
        pendings[Int(index)] = pending
        return index
    }

    private mutating func release(_ index: Int32) {
        pendings[Int(index)] = nil
        free.append(index)
        if !hasPending, pendings.count > Self.keptRoom { (pendings, free) = ([], []) }
    }
}
