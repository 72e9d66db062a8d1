import Model
import SQLite
import TestSupport
import Testing

@testable import Presence
@testable import Store

@Suite("Newest events of the store")
struct StoredNewestEventsTests {
    /// SQLite's query plan for a statement.
    private func plan(_ sql: String, _ store: PicketStore) throws -> String {
        let row = try store.connection.uncachedStatement("EXPLAIN QUERY PLAN " + sql)
        var steps: [String] = []
        while let (_, _, _, step) = try row.next(Int.self, Int.self, Int.self, String.self) { steps.append(step) }
        return steps.joined(separator: "; ")
    }

    @Test("Newest events are found through the index of times, without sorting")
    func plans() throws {
        let directory = try TemporaryDirectory()
        let store = try PicketStore(writing: directory.path + "/picket.sqlite")
        var filter = PicketStore.EventFilter()
        filter.upTo = 100
        filter.excludesRetracted = true
        filter.pageSize = 50
        for (since, isAfterPlace) in [(nil, false), (nil, true), (Instant(milliseconds: 1), false)] as [(Instant?, Bool)] {
            filter.since = since
            filter.until = since.map { $0 + 10 }
            let newest = try plan(PicketStore.newestEventsQuery(filter, isAfterPosition: isAfterPlace), store)
            #expect(newest.contains("event_by_time") || newest.contains("SEARCH o") || newest.contains("SCAN o"), "\(newest)")
            #expect(!newest.contains("ORDER BY"), "\(newest)")
            let inOrder = try plan(PicketStore.selection(filter, for: .bySequence) + " ORDER BY e.sequence LIMIT 50", store)
            #expect(!inOrder.contains("event_by_time") && !inOrder.contains("ORDER BY"), "\(inOrder)")
        }
    }
}
