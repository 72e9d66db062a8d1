import TestSupport
import Testing

@testable import Delivery

@Suite("Delivery queues")
struct DeliveryQueueTests {
    private func queue(_ items: [(Int64, String)], limit: Int = 4, isPipelined: Bool = false) -> DeliveryQueue<Int> {
        var queue = DeliveryQueue<Int>(cursor: 0, limit: limit, isPipelined: isPipelined)
        for (number, device) in items { queue.append(Int(number), number: number, device: device) }
        return queue
    }

    /// The numbers of the next items.
    private func next(_ count: Int, of queue: inout DeliveryQueue<Int>) -> [Int64?] {
        (0..<count).map { _ in queue.next()?.number }
    }

    private func fail(_ number: Int64, in queue: inout DeliveryQueue<Int>) -> Int { queue.recordFailure(number) }

    @Test("The queue sends one item of a device at a time, and items of several devices in parallel")
    func devices() {
        var queue = queue([(1, "a"), (2, "a"), (3, "b"), (4, "c")])
        #expect(next(4, of: &queue) == [1, 3, 4, nil])
        queue.finish(3)
        #expect(next(1, of: &queue) == [nil] && queue.cursor == 0)
        queue.finish(1)
        #expect(queue.cursor == 1)
        #expect(next(1, of: &queue) == [2])
        queue.finish(4)
        #expect(queue.cursor == 1)
        queue.finish(2)
        #expect(queue.cursor == 4 && queue.isEmpty)
    }

    @Test("The queue has no more items in flight than its limit")
    func limit() {
        var queue = queue([(1, "a"), (2, "b"), (3, "c")], limit: 2)
        #expect(next(3, of: &queue) == [1, 2, nil])
        queue.finish(2)
        #expect(next(1, of: &queue) == [3])
    }

    @Test("A failed item is sent before later items of its device, and after items that have not failed")
    func again() {
        var queue = queue([(1, "a"), (2, "a"), (3, "b")], limit: 1)
        #expect(next(1, of: &queue) == [1])
        #expect(fail(1, in: &queue) == 0)
        queue.requeue(1)
        #expect(next(1, of: &queue) == [3])
        queue.finish(3)
        #expect(next(1, of: &queue) == [1])
        #expect(fail(1, in: &queue) == 1, "another arrived since")
        queue.requeue(1)
        #expect(next(1, of: &queue) == [1])
        #expect(fail(1, in: &queue) == 1, "nothing arrived since")
        queue.finish(1, wasDelivered: false)
        #expect(next(1, of: &queue) == [2])
    }

    @Test("Skipped items move the cursor once every item before them is done")
    func passing() {
        var queue = DeliveryQueue<Int>(cursor: 7, limit: 4)
        queue.skip(upTo: 10)
        #expect(queue.cursor == 10 && queue.position == 10)
        queue.append(0, number: 12, device: "a")
        queue.skip(upTo: 20)
        #expect(queue.cursor == 10 && queue.position == 20)
        _ = queue.next()
        queue.finish(12)
        #expect(queue.cursor == 20)
    }

    @Test("A pipelined queue has several items of one device in flight")
    func pipelined() {
        var queue = queue([(1, "a"), (2, "a"), (3, "a")], isPipelined: true)
        #expect(next(3, of: &queue) == [1, 2, 3])
        for number: Int64 in [1, 2, 3] {
            _ = queue.recordFailure(number)
            queue.requeue(number)
        }
        #expect(next(3, of: &queue) == [1, 2, 3])
    }

    @Test("The queue holds a bounded number of items, however long one item fails")
    func bounded() {
        var queue = DeliveryQueue<Int>(cursor: 0, limit: 4, capacity: 16)
        queue.append(0, number: 1, device: "bad")
        _ = queue.next()
        var number: Int64 = 1
        while queue.freeCapacity > 0 {
            number += 1
            queue.append(0, number: number, device: "good")
            _ = queue.next()
            queue.finish(number)
        }
        #expect(number <= 65 && queue.cursor == 0)
        queue.finish(1)
        #expect(queue.cursor == number && queue.freeCapacity == 16)
    }

    @Test(
        "Over random histories, the queue sends every item until it is done, in order per device",
        arguments: Histories.seeds(0...199))
    func histories(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let isPipelined = seed % 5 == 0
        var queue = DeliveryQueue<Int64>(cursor: 0, limit: 1 + Int(seed % 7), capacity: 50, isPipelined: isPipelined)
        var next: Int64 = 1
        var devices: [Int64: String] = [:]
        var inFlight: [Int64] = []
        var done: Set<Int64> = []
        var finished: [String: Int64] = [:]
        // The lowest number that is not done.
        var lowest: Int64 = 1
        for _ in 0..<2000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where queue.freeCapacity > 0 && next < 500:
                if Bool.random(using: &random) {
                    let device = "d\(Int.random(in: 0..<5, using: &random))"
                    queue.append(next, number: next, device: device)
                    devices[next] = device
                } else {
                    queue.skip(upTo: next)
                    done.insert(next)
                }
                next += 1
            case 1, 2:
                guard let entry = queue.next() else { break }
                #expect(!inFlight.contains(entry.number) && !done.contains(entry.number), "seed \(seed)")
                if !isPipelined { #expect(!inFlight.contains { devices[$0] == entry.device }, "seed \(seed)") }
                inFlight.append(entry.number)
            default:
                // A pipelined sender reports in order.
                let index = isPipelined ? 0 : Int.random(in: 0..<max(1, inFlight.count), using: &random)
                guard inFlight.indices.contains(index) else { break }
                if Int.random(in: 0..<3, using: &random) == 0 {
                    // All items after a failed one fail too.
                    for number in isPipelined ? inFlight : [inFlight[index]] {
                        _ = queue.recordFailure(number)
                        queue.requeue(number)
                        inFlight.removeAll { $0 == number }
                    }
                } else {
                    let number = inFlight.remove(at: index)
                    let device = devices[number]!
                    #expect(finished[device, default: 0] < number, "seed \(seed): out of order")
                    finished[device] = number
                    queue.finish(number)
                    done.insert(number)
                }
            }
            while lowest < next, done.contains(lowest) { lowest += 1 }
            #expect(queue.cursor < lowest, "seed \(seed): the cursor is past \(lowest)")
            #expect(queue.inFlight == inFlight.count && inFlight.count <= queue.limit)
        }
        for number in inFlight { queue.finish(number) }
        while let entry = queue.next() { queue.finish(entry.number) }
        #expect(queue.isEmpty && queue.cursor == next - 1, "seed \(seed)")
    }

    // MARK: - Removing

    @Test("Removed items are not sent, and the cursor passes them", arguments: [false, true])
    func removal(isPipelined: Bool) {
        var queue = queue([(1, "a"), (2, "b"), (3, "a"), (4, "b"), (5, "a")], isPipelined: isPipelined)
        queue.removeAll { $0.device == "a" }
        #expect(queue.count == 2 && queue.cursor == 1)
        #expect(next(1, of: &queue) == [2])
        queue.finish(2)
        #expect(queue.cursor == 3)
        #expect(next(2, of: &queue) == [4, nil])
        queue.finish(4)
        #expect(queue.cursor == 5 && queue.isEmpty)
    }

    @Test("An item that is removed while it is being sent is not sent again")
    func removalWhileSending() {
        var queue = queue([(1, "a"), (2, "a"), (3, "b")])
        #expect(next(2, of: &queue) == [1, 3])
        queue.removeAll { $0.device == "a" }
        #expect(queue.isRemoved(1) && !queue.isRemoved(3) && queue.inFlight == 2)
        queue.requeue(1)
        #expect(queue.cursor == 2 && queue.inFlight == 1 && next(1, of: &queue) == [nil])
        // A later item of the same device waits like any other.
        queue.append(4, number: 4, device: "a")
        #expect(next(1, of: &queue) == [4])
        queue.finish(3)
        queue.finish(4)
        #expect(queue.cursor == 4 && queue.isEmpty)
    }

    @Test("Of one device's items only some are removed, and the others stay in order")
    func partialRemoval() {
        var queue = queue([(1, "a"), (2, "a"), (3, "a"), (4, "a")])
        queue.removeAll { $0.number == 1 || $0.number == 3 }
        for number: Int64 in [2, 4] {
            #expect(next(2, of: &queue) == [number, nil])
            queue.finish(number)
        }
        #expect(queue.cursor == 4)
    }

    @Test("With random removals, everything else is sent once, in order per device", arguments: 0..<100 as Range<UInt64>)
    func randomRemovals(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = DeliveryQueue<Int>(cursor: 0, limit: 3, isPipelined: false)
        let devices = ["a", "b", "c", "d"]
        var kept: [String: [Int64]] = [:]
        var delivered: [String: [Int64]] = [:]
        var sending: [(number: Int64, device: String)] = []
        var last: Int64 = 0
        for _ in 0..<500 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0...3:
                last += 1
                let device = devices.randomElement(using: &random)!
                queue.append(Int(last), number: last, device: device)
                kept[device, default: []].append(last)
            case 4...6: if let entry = queue.next() { sending.append((entry.number, entry.device)) }
            case 7...9:
                guard let index = sending.indices.randomElement(using: &random) else { continue }
                let (number, device) = sending.remove(at: index)
                if Bool.random(using: &random) {
                    if !queue.isRemoved(number) { delivered[device, default: []].append(number) }
                    queue.finish(number)
                } else {
                    _ = queue.recordFailure(number)
                    queue.requeue(number)
                }
            default:
                guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
                let device = devices.randomElement(using: &random)!
                queue.removeAll { $0.device == device }
                kept[device] = delivered[device]
            }
        }
        for (number, device) in sending {
            if !queue.isRemoved(number) { delivered[device, default: []].append(number) }
            queue.finish(number)
        }
        while let entry = queue.next() {
            delivered[entry.device, default: []].append(entry.number)
            queue.finish(entry.number)
        }
        for device in devices { #expect(delivered[device] ?? [] == kept[device] ?? [], "seed \(seed), device \(device)") }
        #expect(queue.isEmpty && queue.cursor == last && queue.inFlight == 0, "seed \(seed)")
    }
}
