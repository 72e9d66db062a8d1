import Testing

@testable import Store

@Suite("The events that are in no index yet")
struct EventIndexingTests {
    private func event(_ sequence: Int64) -> IndexedEvent {
        IndexedEvent(sequence: sequence, device: 1, geofence: nil, occurredAt: 10, enteredAt: nil, isExit: false)
    }

    @Test("Wait for nothing when all of them were undone")
    func nothingLeft() {
        var indexing = EventIndexing()
        indexing.add(event(1))
        #expect(indexing.since != nil)
        indexing.undo(waiting: 0)
        #expect(indexing.isEmpty && indexing.since == nil)
    }

    @Test("Go on waiting when those of a transaction that failed are taken back")
    func someLeft() {
        var indexing = EventIndexing()
        for sequence in 1...3 { indexing.add(event(Int64(sequence))) }
        indexing.undo(waiting: 2)
        #expect(indexing.waiting.map(\.sequence) == [1, 2] && indexing.since != nil)
    }
}
