import Core
import Model
import Store

extension Queries {
    /// The events after a place in the list, by `occurredAt` from newest to oldest, or from oldest to newest.
    ///
    /// For each device and geofence, enters and exits that were not retracted alternate in both orders. They need not do so in the order of
    /// their numbers: after a correction, an enter recorded later can have happened earlier.
    ///
    /// - Parameter place: The value of `Page.next` of the preceding page; nil for the first page.
    /// - Throws: `Problem.validationFailed` for an invalid place, and `Problem.notFound` for a device or geofence in the filter that never
    ///   existed.
    package func newestEvents(
        _ filter: EventFilter, before place: String?, isOldestFirst: Bool, limit: Int
    ) throws(Problem) -> Page<Event> {
        let start = try PicketStore.EventPosition.place(
            place, field: isOldestFirst ? "after" : "before", saidBy: isOldestFirst ? "later" : "earlier",
            reason: .notAPlaceInEvents)
        var wanted = filter
        wanted.pageSize = limit + 1
        return try store.snapshot { () throws(Problem) in
            try check(filter)
            var found: [Event] = []
            try store.forEachNewestEvent(wanted, before: start, isOldestFirst: isOldestFirst) { found.append($0) }
            return Page(found, limit: limit) {
                PicketStore.EventPosition(occurredAt: $0.occurredAt, sequence: $0.sequence).description
            }
        }
    }
}

extension PicketStore.EventPosition: PagePlace {
    /// The milliseconds since 1970 and the number of the event, for example `1777629600000.61`.
    var description: String { "\(occurredAt.milliseconds).\(sequence)" }

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), let sequence = Int64(parts[1]) else { return nil }
        self.init(occurredAt: Instant(milliseconds: time), sequence: sequence)
    }
}
