/// The order in which items are sent to a sink: one after the other for one device, concurrently for different devices. A pure value: the
/// caller sends, and reports each result.
///
/// Items arrive in the order of their numbers. The cursor is the number up to which every item is done, and is all that has to be stored.
///
/// - Complexity: O(log devices) for `next` and for each report.
package struct DeliveryQueue<Item: Sendable>: Sendable {
    /// An item that is waiting or being sent.
    package struct QueuedItem: Sendable {
        package var number: Int64
        /// The device whose items are sent one after the other.
        package var device: String
        package var item: Item
        /// The number of failed attempts.
        package var failures = 0
        /// The number of failed attempts between which another item was delivered. They indicate that the peer refuses only this
        /// item.
        package var refusals = 0
        /// The value of `arrived` at the last failed attempt.
        fileprivate var arrivedAtFailure: Int?
    }

    private struct Slot {
        enum State { case waiting, sending, removedWhileSending, done }

        var entry: QueuedItem
        var state = State.waiting
    }

    private struct DeviceLane {
        /// Places of waiting items, from index `head` on. A place is an index into `slots` plus `removed`.
        var waiting: [Int] = []
        var head = 0
        var isBusy = false

        var isEmpty: Bool { head == waiting.count }

        mutating func popFirst() -> Int {
            let first = waiting[head]
            head += 1
            // The array is compacted rarely, so that a long lane has amortized constant cost.
            if head > 32, head * 2 > waiting.count {
                waiting.removeFirst(head)
                head = 0
            }
            return first
        }

        mutating func push(_ place: Int) { waiting.append(place) }

        /// Inserts a place again in its order.
        mutating func reinsert(_ place: Int) {
            let rest = waiting[head...]
            waiting.insert(place, at: rest.firstIndex { $0 > place } ?? rest.endIndex)
        }
    }

    /// The maximum number of items being sent at a time.
    package let limit: Int
    /// The maximum number of items held, waiting or being sent.
    package let capacity: Int
    /// Whether several items of one device may be sent at a time. The sender must then keep their order itself, and fail every item after a
    /// failed one.
    package let isPipelined: Bool

    /// The number up to which every item is done.
    package private(set) var cursor: Int64
    /// The number up to which every item was added or skipped.
    package private(set) var position: Int64
    /// The number of items being sent.
    package private(set) var inFlight = 0

    private var slots: [Slot] = []
    /// The number of elements that were removed from the front of `slots`.
    private var removed = 0
    /// The number of elements at the front of `slots` that are done and not removed yet.
    private var doneHead = 0
    private var places: [Int64: Int] = [:]
    private var lanes: [String: DeviceLane] = [:]
    /// Places that may be sent: the first item of each device that has none being sent. Items with fewer failures come first, so that one
    /// refused item does not block the others.
    private var ready = MinHeap()
    /// The number of items that have arrived at the peer.
    private var deliveredCount = 0

    package init(cursor: Int64, limit: Int, capacity: Int = 2048, isPipelined: Bool = false) {
        self.cursor = cursor
        position = cursor
        self.limit = limit
        self.capacity = capacity
        self.isPipelined = isPipelined
    }

    /// The number of items held.
    package var count: Int { places.count }
    /// The number of items that can be added. Finished items after an unfinished one also count as held, so that the cursor
    /// cannot fall behind without limit.
    package var freeCapacity: Int { max(0, min(capacity - places.count, 4 * capacity - (slots.count - doneHead))) }
    package var isEmpty: Bool { places.isEmpty }

    // MARK: - Adding

    /// Adds an item. Its number must be greater than all before.
    package mutating func append(_ item: Item, number: Int64, device: String) {
        let place = removed + slots.count
        slots.append(Slot(entry: QueuedItem(number: number, device: device, item: item)))
        places[number] = place
        position = number
        if isPipelined { return ready.insert((0, place)) }
        lanes[device, default: DeviceLane()].push(place)
        if let lane = lanes[device], !lane.isBusy, lane.waiting.count - lane.head == 1 { ready.insert((0, place)) }
    }

    /// Skips all numbers up to one that were not added.
    package mutating func skip(upTo number: Int64) {
        guard number > position else { return }
        position = number
        if places.isEmpty { cursor = number }
    }

    // MARK: - Sending

    /// The next item to send; nil when none may be sent now. The item counts as being sent until `finish` or `requeue` is called.
    package mutating func next() -> QueuedItem? {
        guard inFlight < limit, let place = ready.removeFirst()?.place else { return nil }
        let entry = slots[place - removed].entry
        if !isPipelined {
            _ = lanes[entry.device]?.popFirst()
            lanes[entry.device]?.isBusy = true
        }
        slots[place - removed].state = .sending
        inFlight += 1
        return entry
    }

    /// The item that `next()` would return.
    package var first: QueuedItem? { inFlight < limit ? ready.first.map { slots[$0.place - removed].entry } : nil }

    /// Records that an item is done: it was delivered or rejected.
    ///
    /// - Parameter hasArrived: Whether the item was delivered.
    package mutating func finish(_ number: Int64, wasDelivered hasArrived: Bool = true) {
        guard let place = places.removeValue(forKey: number) else { return }
        inFlight -= 1
        if hasArrived { deliveredCount += 1 }
        let device = slots[place - removed].entry.device
        slots[place - removed].state = .done
        if !isPipelined { release(device) }
        moveCursor()
    }

    /// Moves the cursor past the items that are done.
    private mutating func moveCursor() {
        while doneHead < slots.count, slots[doneHead].state == .done {
            cursor = slots[doneHead].entry.number
            doneHead += 1
        }
        if places.isEmpty { cursor = position }
        if doneHead > 64, doneHead * 2 > slots.count || doneHead == slots.count {
            slots.removeFirst(doneHead)
            removed += doneHead
            doneHead = 0
        }
    }

    /// Removes items, for example because they were erased. An item that is being sent is removed when it comes back.
    ///
    /// - Complexity: O(items).
    package mutating func removeAll(where isRemoved: (QueuedItem) -> Bool) {
        var devices: Set<String> = []
        for index in slots.indices where isRemoved(slots[index].entry) {
            switch slots[index].state {
            case .waiting:
                slots[index].state = .done
                places[slots[index].entry.number] = nil
                devices.insert(slots[index].entry.device)
            case .sending: slots[index].state = .removedWhileSending
            case .removedWhileSending, .done: break
            }
        }
        if devices.isEmpty { return }
        ready.removeAll { slots[$0 - removed].state == .done }
        for device in devices where !isPipelined {
            guard var lane = lanes[device] else { continue }
            let first = lane.isEmpty ? nil : lane.waiting[lane.head]
            lane.waiting = lane.waiting[lane.head...].filter { slots[$0 - removed].state == .waiting }
            lane.head = 0
            lanes[device] = lane.isEmpty && !lane.isBusy ? nil : lane
            if !lane.isBusy, let next = lane.waiting.first, next != first { insertReady(next) }
        }
        moveCursor()
    }

    /// Whether an item was removed while it is being sent.
    package func isRemoved(_ number: Int64) -> Bool {
        places[number].map { slots[$0 - removed].state == .removedWhileSending } ?? false
    }

    /// Records a failed attempt to send an item. The caller then calls `requeue` or `finish`.
    ///
    /// - Returns: The item's new `refusals`.
    package mutating func recordFailure(_ number: Int64) -> Int {
        guard let index = places[number].map({ $0 - removed }) else { return 0 }
        slots[index].entry.failures += 1
        if let then = slots[index].entry.arrivedAtFailure, deliveredCount > then { slots[index].entry.refusals += 1 }
        slots[index].entry.arrivedAtFailure = deliveredCount
        return slots[index].entry.refusals
    }

    /// Returns an item to the queue, before the later items of its device.
    package mutating func requeue(_ number: Int64) {
        guard let place = places[number] else { return }
        if isRemoved(number) { return finish(number, wasDelivered: false) }
        slots[place - removed].state = .waiting
        inFlight -= 1
        if isPipelined { return ready.insert((0, place)) }
        let device = slots[place - removed].entry.device
        lanes[device]?.reinsert(place)
        release(device)
    }

    private mutating func release(_ device: String) {
        guard var lane = lanes[device] else { return }
        lane.isBusy = false
        lanes[device] = lane.isEmpty ? nil : lane
        if !lane.isEmpty { insertReady(lane.waiting[lane.head]) }
    }

    private mutating func insertReady(_ place: Int) { ready.insert((slots[place - removed].entry.failures, place)) }
}

/// A binary heap of places, ordered by rank and then by place.
private struct MinHeap: Sendable {
    private var heap: [(rank: Int, place: Int)] = []

    var first: (rank: Int, place: Int)? { heap.first }

    mutating func insert(_ value: (rank: Int, place: Int)) {
        heap.append(value)
        var child = heap.count - 1
        while child > 0, heap[child] < heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeAll(where isRemoved: (Int) -> Bool) {
        let kept = heap.filter { !isRemoved($0.place) }
        heap.removeAll()
        for value in kept { insert(value) }
    }

    mutating func removeFirst() -> (rank: Int, place: Int)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[smallest] {
                smallest = child
            }
            if smallest == parent { return first }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
