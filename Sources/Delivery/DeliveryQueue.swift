/// The order in which a sink is sent what it has to be sent: what belongs to one device one after the other, of several devices at a
/// time. Pure: what is done with each item is told back.
///
/// Items come in order of their numbers. The cursor is the number up to which everything is done; it is what has to be remembered.
///
/// - Complexity: `next` and what tells of an item O(log devices).
public struct DeliveryQueue<Item: Sendable>: Sendable {
    /// An item on its way, or waiting.
    public struct Entry: Sendable {
        public var number: Int64
        public var device: String
        public var item: Item
        /// How often it was sent in vain.
        public var failures = 0
        /// How often it was sent in vain while others arrived.
        public var refusals = 0
        /// How many others had arrived when it was last sent in vain.
        fileprivate var arrivedThen: Int?
    }

    private struct Slot {
        var entry: Entry
        var isDone = false
    }

    private struct Lane {
        /// Places in `slots`, counted from the first that ever was; the first is the next to be sent.
        var waiting: [Int] = []
        var head = 0
        var isBusy = false

        var isEmpty: Bool { head == waiting.count }

        mutating func popFirst() -> Int {
            let first = waiting[head]
            head += 1
            // Moved once for every so many, so that a long lane costs no more.
            if head > 32, head * 2 > waiting.count {
                waiting.removeFirst(head)
                head = 0
            }
            return first
        }

        mutating func push(_ place: Int) { waiting.append(place) }

        /// Puts a place back where it belongs by its number.
        mutating func putBack(_ place: Int) {
            let rest = waiting[head...]
            waiting.insert(place, at: rest.firstIndex { $0 > place } ?? rest.endIndex)
        }
    }

    /// The most that are on their way at a time.
    public let limit: Int
    /// The most that are held, on their way or waiting.
    public let capacity: Int
    /// Whether what belongs to one device may be on its way together, because the sender keeps the order itself and fails everything
    /// that comes after what it fails.
    public let isPipelined: Bool

    /// Up to here everything is done.
    public private(set) var cursor: Int64
    /// Up to here everything has been taken in or passed over.
    public private(set) var position: Int64
    public private(set) var inFlight = 0

    private var slots: [Slot] = []
    /// How many were removed from the front of `slots`.
    private var removed = 0
    /// How many at the front of `slots` are done and not yet removed.
    private var doneHead = 0
    private var places: [Int64: Int] = [:]
    private var lanes: [String: Lane] = [:]
    /// Places that may be sent: the first of each device of which none is on its way. What failed comes after what did not, so that
    /// an item which alone is refused does not keep all others waiting.
    private var ready = MinHeap()
    /// How many items have arrived.
    private var arrived = 0

    public init(cursor: Int64, limit: Int, capacity: Int = 2048, isPipelined: Bool = false) {
        self.cursor = cursor
        position = cursor
        self.limit = limit
        self.capacity = capacity
        self.isPipelined = isPipelined
    }

    /// How many items are held.
    public var count: Int { places.count }
    /// How many more can be taken in. What is done behind an item that is not counts, too, so that the cursor is not left behind
    /// without an end.
    public var room: Int { max(0, min(capacity - places.count, 4 * capacity - (slots.count - doneHead))) }
    public var isEmpty: Bool { places.isEmpty }

    // MARK: - In

    /// Takes in the next item. Its number is greater than those before.
    public mutating func append(_ item: Item, number: Int64, device: String) {
        let place = removed + slots.count
        slots.append(Slot(entry: Entry(number: number, device: device, item: item)))
        places[number] = place
        position = number
        if isPipelined { return ready.insert((0, place)) }
        lanes[device, default: Lane()].push(place)
        if let lane = lanes[device], !lane.isBusy, lane.waiting.count - lane.head == 1 { ready.insert((0, place)) }
    }

    /// Passes over everything up to a number that was not taken in.
    public mutating func pass(upTo number: Int64) {
        guard number > position else { return }
        position = number
        if places.isEmpty { cursor = number }
    }

    // MARK: - Out

    /// The next item to send, if one may be sent now. It counts as on its way until it is told of.
    public mutating func next() -> Entry? {
        guard inFlight < limit, let place = ready.removeFirst()?.place else { return nil }
        let entry = slots[place - removed].entry
        if !isPipelined {
            _ = lanes[entry.device]?.popFirst()
            lanes[entry.device]?.isBusy = true
        }
        inFlight += 1
        return entry
    }

    /// What `next` would give.
    public var first: Entry? { inFlight < limit ? ready.first.map { slots[$0.place - removed].entry } : nil }

    /// An item that was on its way is done with: it arrived, or is kept elsewhere.
    ///
    /// - Parameter hasArrived: Whether it arrived.
    public mutating func finish(_ number: Int64, hasArrived: Bool = true) {
        guard let place = places.removeValue(forKey: number) else { return }
        inFlight -= 1
        if hasArrived { arrived += 1 }
        let device = slots[place - removed].entry.device
        slots[place - removed].isDone = true
        if !isPipelined { release(device) }
        while doneHead < slots.count, slots[doneHead].isDone {
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

    /// Counts that an item which is on its way was sent in vain. `putBack` or `finish` follows.
    ///
    /// - Returns: How often that happened while others arrived.
    public mutating func noteFailure(_ number: Int64) -> Int {
        guard let index = places[number].map({ $0 - removed }) else { return 0 }
        slots[index].entry.failures += 1
        if let then = slots[index].entry.arrivedThen, arrived > then { slots[index].entry.refusals += 1 }
        slots[index].entry.arrivedThen = arrived
        return slots[index].entry.refusals
    }

    /// An item that was on its way has to be sent again, before what follows it of its device.
    public mutating func putBack(_ number: Int64) {
        guard let place = places[number] else { return }
        inFlight -= 1
        if isPipelined { return ready.insert((0, place)) }
        let device = slots[place - removed].entry.device
        lanes[device]?.putBack(place)
        release(device)
    }

    private mutating func release(_ device: String) {
        guard var lane = lanes[device] else { return }
        lane.isBusy = false
        lanes[device] = lane.isEmpty ? nil : lane
        if lane.isEmpty { return }
        let first = lane.waiting[lane.head]
        ready.insert((slots[first - removed].entry.failures, first))
    }
}

/// The smallest of a set of places first, by rank and then by place.
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
