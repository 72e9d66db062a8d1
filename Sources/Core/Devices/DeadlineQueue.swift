import Model
import Store

/// A queue of devices by deadline. The moment in the queue is never later than the device's own deadline.
///
/// Most deadlines only become later with every fix. Such an entry keeps its moment in the queue, and the deadline is checked again when
/// that moment comes. A fix therefore costs one comparison.
package struct DeadlineQueue {
    private struct Entry {
        var moment: Instant
        var device: DeviceKey

        /// Whether the entry is before another one: by moment, and by device for the same moment.
        func isBefore(_ other: Entry) -> Bool {
            moment < other.moment || moment == other.moment && device.value < other.device.value
        }
    }

    /// A binary heap with at most one entry per device: no entry is earlier than its parent, which is at half its index.
    private var heap: [Entry] = []
    /// The index of each device's entry in the heap, by device key; −1 for none.
    private var heapIndexes: [Int32] = []

    /// The earliest moment in the queue; nil if the queue is empty.
    var next: Instant? { heap.first?.moment }

    /// The number of devices in the queue.
    var count: Int { heap.count }

    /// Ensures that a device is in the queue no later than its deadline. With nil it does nothing.
    ///
    /// - Complexity: O(1) if the deadline is not earlier than before, otherwise O(log n).
    package mutating func schedule(_ deadline: Instant?, of device: DeviceKey) {
        guard let deadline else { return }
        let number = Int(device.value)
        if number >= heapIndexes.count {
            heapIndexes += [Int32](repeating: -1, count: max(number + 1, heapIndexes.count * 2) - heapIndexes.count)
        }
        let entry = Entry(moment: deadline, device: device)
        if heapIndexes[number] < 0 {
            heap.append(entry)
            siftUp(entry, from: heap.count - 1)
        } else if deadline < heap[Int(heapIndexes[number])].moment {
            siftUp(entry, from: Int(heapIndexes[number]))
        }
    }

    /// Removes and returns a device whose moment is before `now`; nil if there is none. The caller has to add the device again.
    ///
    /// - Complexity: O(log n).
    mutating func popDevice(before now: Instant) -> DeviceKey? {
        guard let first = heap.first, first.moment < now else { return nil }
        heapIndexes[Int(first.device.value)] = -1
        let last = heap.removeLast()
        if !heap.isEmpty { siftDown(last, from: 0) }
        return first.device
    }

    /// Removes a device.
    ///
    /// - Complexity: O(log n).
    mutating func remove(_ device: DeviceKey) {
        let number = Int(device.value)
        guard number < heapIndexes.count, heapIndexes[number] >= 0 else { return }
        let index = Int(heapIndexes[number])
        heapIndexes[number] = -1
        let last = heap.removeLast()
        guard index < heap.count else { return }
        // The last entry takes the vacant place, and belongs above or below it.
        if index > 0, last.isBefore(heap[(index - 1) / 2]) {
            siftUp(last, from: index)
        } else {
            siftDown(last, from: index)
        }
    }

    // MARK: - The heap

    private mutating func place(_ entry: Entry, at index: Int) {
        heap[index] = entry
        heapIndexes[Int(entry.device.value)] = Int32(index)
    }

    /// Inserts an entry on the path from an index to the top.
    private mutating func siftUp(_ entry: Entry, from start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard entry.isBefore(heap[parent]) else { break }
            place(heap[parent], at: index)
            index = parent
        }
        place(entry, at: index)
    }

    /// Inserts an entry on the path downward from an index, which is vacant.
    private mutating func siftDown(_ entry: Entry, from start: Int) {
        var index = start
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(entry) else { break }
            place(heap[child], at: index)
            index = child
        }
        place(entry, at: index)
    }
}
