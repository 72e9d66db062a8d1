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

    /// A binary heap: no entry is earlier than the one at half its index.
    private var heap: [Entry] = []
    /// The moment of each device's valid entry, by key.
    private var moments: [Instant?] = []

    /// No device has to be looked at before this moment; nil when none has to at all.
    var next: Instant? { heap.first?.moment }

    /// Sees to it that a device is looked at no later than its deadline.
    ///
    /// - Complexity: O(1) when the deadline has moved on, else O(log n).
    mutating func note(_ deadline: Instant?, of device: DeviceKey) {
        guard let deadline else { return }
        let number = Int(device.value)
        if number >= moments.count {
            moments += [Instant?](repeating: nil, count: max(number + 1, moments.count * 2) - moments.count)
        }
        if let known = moments[number], known <= deadline { return }
        moments[number] = deadline
        push(Entry(moment: deadline, device: device))
    }

    /// Takes out a device whose moment is before `now`; nil when there is none. It has to be noted again.
    ///
    /// - Complexity: O(log n).
    mutating func popDevice(before now: Instant) -> DeviceKey? {
        while let first = heap.first, first.moment < now {
            removeFirst()
            // An entry that an earlier one has overtaken is no more valid.
            guard moments[Int(first.device.value)] == first.moment else { continue }
            moments[Int(first.device.value)] = nil
            return first.device
        }
        return nil
    }

    // MARK: - The heap

    private mutating func push(_ entry: Entry) {
        heap.append(entry)
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard entry.moment < heap[parent].moment else { break }
            heap[index] = heap[parent]
            index = parent
        }
        heap[index] = entry
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].moment < heap[child].moment { child += 1 }
            guard heap[child].moment < last.moment else { break }
            heap[index] = heap[child]
            index = child
        }
        heap[index] = last
    }
}
