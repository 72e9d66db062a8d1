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
        indexing.add(event(1))
        #expect(indexing.waitingSince != nil)
        indexing.undo(waiting: 0)
        #expect(indexing.isEmpty && indexing.waitingSince == nil)
    }

    @Test("When a failed transaction is undone, the earlier events still wait")
    func someLeft() {
        var indexing = EventIndexing()
        for sequence in 1...3 { indexing.add(event(Int64(sequence))) }
        indexing.undo(waiting: 2)
        #expect(indexing.waiting.map(\.sequence) == [1, 2] && indexing.waitingSince != nil)
    }

    @Test(
        "Waiting events are found by device and time, through batches and undone ones", arguments: 1...20 as ClosedRange<UInt64>)
    func found(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var indexing = EventIndexing()
        var known: [IndexedEvent] = []
        var sequence: Int64 = 0
        for step in 0..<400 {
            let before = indexing.waiting.count
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                sequence += 1
                let event = IndexedEvent(
                    sequence: sequence, device: .random(in: 1...4, using: &random), geofence: nil,
                    occurredAt: .random(in: 1...3, using: &random), enteredAt: nil, isExit: false)
                indexing.add(event)
                known.append(event)
            }
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                known.removeLast(indexing.waiting.count - before)
                indexing.undo(waiting: before)
                sequence = known.last?.sequence ?? 0
            case 1:
                indexing.beginBatch()
            case 2 where indexing.isUnderWay:
                known.removeAll { $0.sequence <= indexing.lastSequence }
                indexing.endBatch()
            default: break
            }
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
