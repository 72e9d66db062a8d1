import Model

/// The states of the fences that a device is not simply outside of, in no order. The first four are stored inline, because most
/// devices have no more, and an array elsewhere costs one more memory access per fix (about 150 ns when it is not cached).
struct FenceStates: Sendable {
    private static let inlineCapacity = 4

    private var inlineStates = InlineArray<4, PackedFenceState>(repeating: PackedFenceState(.init(-1), phase: .unknown))
    private(set) var count = 0
    private var otherStates: [PackedFenceState] = []
    /// Pending transitions, by the index that states keep; nil where an index is free.
    private var pendingTransitions: [PendingTransition?] = []
    private var freeIndices: [Int32] = []
    /// The index of each state by its fence while there are many states; empty while a linear search is as fast.
    private var indicesByFence: [FenceKey: Int] = [:]

    private static let linearSearchLimit = 64
    /// When no transition is pending anymore, storage for more than this number is released.
    private static let keptCapacity = 4

    var indices: Range<Int> { 0..<count }

    var hasPending: Bool { pendingTransitions.count > freeIndices.count }

    @inline(__always)
    subscript(index: Int) -> PackedFenceState {
        get { index < Self.inlineCapacity ? inlineStates[index] : otherStates[index - Self.inlineCapacity] }
        set {
            if index < Self.inlineCapacity {
                inlineStates[index] = newValue
            } else {
                otherStates[index - Self.inlineCapacity] = newValue
            }
        }
    }

    /// The pending transition of a state.
    func pending(_ state: PackedFenceState) -> PendingTransition? {
        state.pendingIndex < 0 ? nil : pendingTransitions[Int(state.pendingIndex)]
    }

    mutating func append(_ state: PackedFenceState, _ pending: PendingTransition?) {
        var state = state
        state.pendingIndex = storePending(pending, at: -1)
        if count < Self.inlineCapacity { inlineStates[count] = state } else { otherStates.append(state) }
        count += 1
        if !indicesByFence.isEmpty {
            indicesByFence[state.fence] = count - 1
        } else if count > Self.linearSearchLimit {
            for index in indices { indicesByFence[self[index].fence] = index }
        }
    }

    /// Replaces a state, except for its fence's position in the set.
    mutating func update(at index: Int, _ state: PackedFenceState, _ pending: PendingTransition?) {
        let known = self[index]
        var state = state
        state.position = known.position
        state.isPlain = known.isPlain
        state.pendingIndex = storePending(pending, at: known.pendingIndex)
        if !indicesByFence.isEmpty, state.fence != known.fence {
            indicesByFence[known.fence] = nil
            indicesByFence[state.fence] = index
        }
        self[index] = state
    }

    /// Removes a state; the last state takes its index.
    mutating func remove(at index: Int) {
        _ = storePending(nil, at: self[index].pendingIndex)
        if !indicesByFence.isEmpty {
            indicesByFence[self[count - 1].fence] = index
            indicesByFence[self[index].fence] = nil
            if count <= Self.linearSearchLimit / 2 { indicesByFence.removeAll() }
        }
        self[index] = self[count - 1]
        if count > Self.inlineCapacity { otherStates.removeLast() }
        count -= 1
    }

    /// The index of a fence's state; nil if there is none.
    ///
    /// - Complexity: O(1).
    func index(of fence: FenceKey) -> Int? {
        if !indicesByFence.isEmpty { return indicesByFence[fence] }
        for index in indices where self[index].fence == fence { return index }
        return nil
    }

    func containsAny(of fences: Set<FenceKey>) -> Bool {
        if !indicesByFence.isEmpty, fences.count < count { return fences.contains { indicesByFence[$0] != nil } }
        return indices.contains { fences.contains(self[$0].fence) }
    }

    /// Stores a pending transition in place of the one at `index` (−1: none).
    ///
    /// - Returns: Its index; −1 if `pending` is nil.
    private mutating func storePending(_ pending: PendingTransition?, at index: Int32) -> Int32 {
        guard let pending else {
            if index >= 0 { release(index) }
            return -1
        }
        guard let index = index >= 0 ? index : freeIndices.popLast() else {
            pendingTransitions.append(pending)
            return Int32(pendingTransitions.count - 1)
        }
        pendingTransitions[Int(index)] = pending
        return index
    }

    private mutating func release(_ index: Int32) {
        pendingTransitions[Int(index)] = nil
        freeIndices.append(index)
        if !hasPending, pendingTransitions.count > Self.keptCapacity { (pendingTransitions, freeIndices) = ([], []) }
    }
}
