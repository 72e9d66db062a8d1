import TestSupport
import Testing

@testable import Store

@Suite("Events waiting for their index")
struct EventIndexingTests {
    private func event(_ sequence: Int64) -> IndexedEvent {
        IndexedEvent(sequence: sequence, device: 1, geofence: nil, occurredAt: 10, enteredAt: nil, isExit: false)
    }

    @Test("When all waiting events are undone, nothing is due")
    func nothingLeft() {
        var indexing = EventIndexing()
        indexing.transactionBegins()
        indexing.add(event(1))
        #expect(indexing.behind.since != nil)
        indexing.transactionFailed()
        #expect(indexing.behind.isEmpty && indexing.behind.since == nil)
    }

    @Test("When a failed transaction is undone, the earlier events still wait")
    func someLeft() {
        var indexing = EventIndexing()
        for sequence in 1...2 { indexing.add(event(Int64(sequence))) }
        indexing.transactionBegins()
        indexing.add(event(3))
        indexing.transactionFailed()
        #expect(indexing.behind.waiting.map(\.sequence) == [1, 2] && indexing.behind.since != nil)
    }

    @Test(
        "Waiting events are found by device and time, through batches and undone ones", arguments: 1...20 as ClosedRange<UInt64>)
    func found(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var indexing = EventIndexing()
        var known: [IndexedEvent] = []
        var sequence: Int64 = 0
        for step in 0..<400 {
            indexing.transactionBegins()
            let before = known
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                sequence += 1
                let event = IndexedEvent(
                    sequence: sequence, device: .random(in: 1...4, using: &random), geofence: nil,
                    occurredAt: .random(in: 1...3, using: &random), enteredAt: nil, isExit: false)
                indexing.add(event)
                known.append(event)
            }
            let hasBegun = Bool.random(using: &random)
            if hasBegun { indexing.beginBatch() }
            let isWhole = Bool.random(using: &random)
            while hasBegun, indexing.nextRows(atMost: 3) != nil, isWhole {}
            if hasBegun, isWhole, !indexing.behind.batch.isEmpty {
                known.removeAll { $0.sequence <= indexing.behind.batchEnd }
                indexing.endBatch()
            }
            if Int.random(in: 0..<8, using: &random) == 0 {
                indexing.transactionFailed()
                known = before
                sequence = known.last?.sequence ?? 0
            } else {
                indexing.transactionCommitted()
            }
            let left = indexing.behind.batch + indexing.behind.waiting
            #expect(left.map(\.sequence) == known.map(\.sequence), "seed \(seed), step \(step)")
            for device in 1...4 as ClosedRange<Int64> {
                for moment in 1...3 as ClosedRange<Int64> {
                    #expect(
                        indexing.sequences(of: device, at: moment).reversed()
                            == known.filter { $0.device == device && $0.occurredAt == moment }.map(\.sequence),
                        "seed \(seed), step \(step)")
                }
            }
        }
    }
}
