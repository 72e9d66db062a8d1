import Model
import Store

extension Queries {
    /// The newest events before a place, by `occurredAt` from the newest to the oldest.
    ///
    /// - Parameter place: What `Page.next` said.
    /// - Throws: `Problem.validationFailed` for a place that is none, and `Problem.notFound` for what the filter names and never was there.
    public func newestEvents(_ filter: EventFilter, before place: String?, limit: Int) throws(Problem) -> Page<Event> {
        let start = try RegionStore.EventPlace.place(
            place, field: "before", saidBy: "earlier", reason: "it is not a place in the events")
        var wanted = filter
        wanted.pageSize = limit + 1
        return try store.snapshot { () throws(Problem) in
            try check(filter)
            var found: [Event] = []
            try store.forEachNewestEvent(wanted, before: start) { found.append($0) }
            return Page(found, limit: limit) {
                RegionStore.EventPlace(occurredAt: $0.occurredAt, sequence: $0.sequence).description
            }
        }
    }
}

extension RegionStore.EventPlace: PagePlace {
    /// Milliseconds and number, as `1777629600000.61`.
    public var description: String { "\(occurredAt.milliseconds).\(sequence)" }

    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), let sequence = Int64(parts[1]) else { return nil }
        self.init(occurredAt: Instant(milliseconds: time), sequence: sequence)
    }
}
