import Model
import Store

/// Which devices have to be looked at when: a moment for each that is never later than the device's own deadline.
///
/// Most deadlines only move on, with every fix; they are left where they stand and asked again when their moment comes. So a fix
/// costs a comparison, and time that passes costs nothing until something may be due.
struct DeadlineQueue {
    private struct Entry {
        var moment: Instant
        var device: DeviceKey
    }

    /// A binary heap with one entry a device at most: no entry is earlier than the one at half its index.
    private var heap: [Entry] = []
    /// Where each device's entry stands in the heap, by key; −1 for none.
    private var places: [Int32] = []

    /// No device has to be looked at before this moment; nil when none has to at all.
    var next: Instant? { heap.first?.moment }

    /// How many devices wait.
    var count: Int { heap.count }

    /// Sees to it that a device is looked at no later than its deadline.
    ///
    /// - Complexity: O(1) when the deadline has moved on, else O(log n).
    mutating func note(_ deadline: Instant?, of device: DeviceKey) {
        guard let deadline else { return }
        let number = Int(device.value)
        if number >= places.count {
            places += [Int32](repeating: -1, count: max(number + 1, places.count * 2) - places.count)
        }
        let entry = Entry(moment: deadline, device: device)
        if places[number] < 0 {
            heap.append(entry)
            rise(entry, from: heap.count - 1)
        } else if deadline < heap[Int(places[number])].moment {
            rise(entry, from: Int(places[number]))
        }
    }

    /// Takes out a device whose moment is before `now`; nil when there is none. It has to be noted again.
    ///
    /// - Complexity: O(log n).
    mutating func popDevice(before now: Instant) -> DeviceKey? {
        guard let first = heap.first, first.moment < now else { return nil }
        places[Int(first.device.value)] = -1
        let last = heap.removeLast()
        if !heap.isEmpty { sink(last) }
        return first.device
    }

    /// Takes a device out.
    ///
    /// - Complexity: O(log n).
    mutating func remove(_ device: DeviceKey) {
        let number = Int(device.value)
        guard number < places.count, places[number] >= 0 else { return }
        // Nothing is earlier than what is on its way to the top.
        rise(Entry(moment: .earliest, device: device), from: Int(places[number]))
        _ = popDevice(before: .latest)
    }

    // MARK: - The heap

    private mutating func put(_ entry: Entry, at index: Int) {
        heap[index] = entry
        places[Int(entry.device.value)] = Int32(index)
    }

    /// Writes an entry to its place on the way from an index to the top.
    private mutating func rise(_ entry: Entry, from start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard entry.moment < heap[parent].moment else { break }
            put(heap[parent], at: index)
            index = parent
        }
        put(entry, at: index)
    }

    /// Writes an entry to its place on the way down from the top, which is free.
    private mutating func sink(_ entry: Entry) {
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].moment < heap[child].moment { child += 1 }
            guard heap[child].moment < entry.moment else { break }
            put(heap[child], at: index)
            index = child
        }
        put(entry, at: index)
    }
}
