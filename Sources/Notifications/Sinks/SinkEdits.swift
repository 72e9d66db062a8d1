import Core
import Delivery
import Model
import Places
import Presence
import Senders
import Settings
import Store

// Sinks as network clients and the command line create, read and change them.

extension Queries {
    package typealias StoredSink = PicketStore.StoredSink

    typealias RejectedEvent = PicketStore.RejectedEvent

    /// All sinks, sorted by id.
    package func sinks() throws(Problem) -> [StoredSink] { try store.sinks() }

    /// The sink with this id. Throws `Problem.notFound` if there is none.
    package func sink(id: String) throws(Problem) -> StoredSink {
        if let found = try store.sink(id: id) { return found }
        throw .notFound(kind: .sink, id: id, similar: Suggestions.similar(to: id, among: try store.sinks().map(\.sink.id)))
    }

    /// The permissions of the person who edits a sink.
    struct SinkEditor: Sendable {
        /// Whether the person works on the service's own machine, and may make it write files and run programs.
        var isLocal: Bool
        /// Whether sinks may connect to this machine and to private networks.
        var allowsPrivate: Bool

        func check(_ sink: Sink) throws(Problem) {
            if sink.target.kind.isEditableLocallyOnly, !isLocal {
                throw .validationFailed(
                    field: "kind", value: sink.target.kind.rawValue,
                    reason: Phrase("such a sink writes files or runs programs on the service's machine"),
                    expected: Phrase("'picket sink add \(sink.target.kind.rawValue) …' on that machine, or another kind"))
            }
            let url = sink.target.address
            if !allowsPrivate, !url.isEmpty, PublicAddress.isPrivate(host: WebAddress.host(of: url)) {
                throw .validationFailed(
                    field: "url", value: WebAddress.masked(url),
                    reason: .privateAddress,
                    expected: .publicAddress)
            }
            if !allowsPrivate, sink.target.kind.transport == .mqtt { throw sink.target.privateNetworkProblem }
            _ = try SinkTimeZone(named: sink.timeZone)
        }
    }

    /// Checks that no other sink announces devices at the same place, because each would remove what the other has announced.
    fileprivate func checkAnnouncement(of sink: Sink) throws(Problem) {
        guard let announcement = sink.announcement else { return }
        for other in try store.sinks() where other.sink.id != sink.id && other.sink.announcement == announcement {
            throw .conflict(
                kind: .sink, id: other.sink.id,
                reason: Phrase("uses the same broker, prefix and base for Home Assistant; give this sink its own base"))
        }
    }

    /// Checks that what the filter of a sink of reports names exists or existed, as a report requires it.
    ///
    /// - Throws: `Problem.notFound`.
    fileprivate func checkReportFilter(of sink: Sink) throws(Problem) {
        guard sink.target.kind.contentKind == .reports else { return }
        var filter = EventFilter(deviceId: sink.filter.devices.first, geofenceIds: sink.filter.geofences)
        filter.excludedGeofenceIds = sink.filter.notGeofences
        try check(filter)
        if let group = sink.filter.groups.first { _ = try devices(inGroup: group) }
    }

    // MARK: - Rejected events

    /// At most `limit` rejected events of a sink after a number, sorted by number. The event is nil if it was erased.
    func rejectedEvents(
        ofSink id: String, after sequence: Int64, limit: Int
    ) throws(Problem) -> Page<(rejected: RejectedEvent, event: Event?)> {
        _ = try sink(id: id)
        var found: [(rejected: RejectedEvent, event: Event?)] = []
        for rejected in try store.rejectedEvents(ofSink: id, after: sequence, limit: limit + 1) {
            found.append((rejected, try store.outboxEvent(rejected.sequence)?.event))
        }
        return Page(found, limit: limit) { String($0.rejected.sequence) }
    }
}

extension ServiceWriter {
    /// The cursor of a sink that starts now, with the next event or position, or the report of the current period.
    private func startingCursor(of sink: Sink) throws(Problem) -> Int64 {
        switch sink.target.kind.contentKind {
        case .events: try store.newestSequence()
        case .positions: try store.newestFixNumber()
        case .reports: try reportSchedule(of: sink)?.current(at: clock.now()).day ?? 0
        }
    }

    /// The cursor of a sink that skips what waits for it. A report that is not due yet is not skipped.
    private func skippingCursor(of stored: StoredSink) throws(Problem) -> Int64 {
        if let schedule = try reportSchedule(of: stored.sink) {
            return max(stored.cursor, schedule.newestDue(at: clock.now()).day)
        }
        return try startingCursor(of: stored.sink)
    }

    private func reportSchedule(of sink: Sink) throws(Problem) -> ReportSchedule? {
        ReportSchedule(sink, in: try SinkTimeZone(named: sink.timeZone))
    }

    /// Creates a sink from JSON. Delivery starts with the next event.
    ///
    /// - Throws: `Problem.conflict` if the id is already used, `Problem.notFound` if a report cannot be computed because of its filter, and
    ///   `Problem.validationFailed`.
    func createSink(_ json: JSONValue, by editor: SinkEditor) throws(Problem) -> StoredSink {
        let taken = Set(try store.sinks().map(\.sink.id))
        var sink = try Sink(json: json, id: nil)
        if json["id"] == nil || json["id"] == .null {
            let name = sink.id
            var number = 2
            while taken.contains(sink.id) {
                sink.id = "\(name)-\(number)"
                number += 1
            }
        } else if taken.contains(sink.id) {
            throw .conflict(kind: .sink, id: sink.id, reason: .alreadyExists)
        }
        try editor.check(sink)
        try checkAnnouncement(of: sink)
        try checkReportFilter(of: sink)
        let newest = try store.newestSequence()
        let stored = StoredSink(sink, cursor: try startingCursor(of: sink), alarmCursor: newest)
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.save(stored, in: transaction)
            try store.setRetainedPlace(sink.retainedPlace, ofSink: sink.id, at: clock.now(), in: transaction)
            try store.save(sink.filterPeriod(from: newest + 1), ofSink: sink.id, in: transaction)
        }
        return stored
    }

    /// Changes the settings of a sink. Events that were not sent yet are kept. A new filter applies from the next event on. A sink that was
    /// paused because of a problem is tried again.
    func saveSink(_ json: JSONValue, id: String, by editor: SinkEditor) throws(Problem) -> StoredSink {
        var stored = try sink(id: id)
        let sink = try Sink(json: json, id: id, known: stored.sink)
        if sink.target.kind.contentKind != stored.sink.target.kind.contentKind {
            throw .validationFailed(
                field: "kind", value: sink.target.kind.rawValue,
                reason: Phrase("a sink gets either events, positions or reports, which cannot be changed later"),
                expected: Phrase("the current kind, or a new sink"))
        }
        try editor.check(sink)
        try checkAnnouncement(of: sink)
        if sink.filter != stored.sink.filter { try checkReportFilter(of: sink) }
        let isNewFilter =
            sink.filter != stored.sink.filter || sink.timeZone != stored.sink.timeZone || sink.maxAge != stored.sink.maxAge
        // The first report about the new length is that of the current period.
        let cursor = sink.target.every == stored.sink.target.every ? stored.cursor : try startingCursor(of: sink)
        stored.sink = sink
        if stored.pausedBy != nil { (stored.pausedAt, stored.pausedBy) = (nil, nil) }
        let changed = stored
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.save(changed, in: transaction)
            try store.setRetainedPlace(sink.retainedPlace, ofSink: id, at: clock.now(), in: transaction)
            if cursor > changed.cursor {
                try store.setCursors(ofSink: id, cursor, alarms: changed.alarmCursor, in: transaction)
            }
            guard isNewFilter else { return }
            try store.save(sink.filterPeriod(from: try store.newestSequence() + 1), ofSink: id, in: transaction)
        }
        if sink.announcement == nil { try resolve(source: Sink.discoverySource(id)) }
        return try self.sink(id: id)
    }

    /// Removes a sink, including the events that were not sent yet.
    func removeSink(id: String) throws(Problem) {
        _ = try sink(id: id)
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.removeSink(id: id, in: transaction)
            try store.setRetainedPlace(nil, ofSink: id, at: clock.now(), in: transaction)
        }
        try resolve(source: Sink.problemSource(id))
        try resolve(source: Sink.rejectedSource(id))
        try resolve(source: Sink.discoverySource(id))
    }

    /// Pauses a sink: its events wait until it is resumed. A pause by a person replaces a pause because of a problem, and not the reverse.
    ///
    /// - Parameter problem: The reason; nil if a person pauses the sink.
    @discardableResult
    func pauseSink(id: String, because problem: Problem? = nil) throws(Problem) -> StoredSink {
        var stored = try sink(id: id)
        if stored.pausedAt != nil, stored.pausedBy == nil || stored.pausedBy == problem { return stored }
        stored.pausedAt = stored.pausedAt ?? clock.now()
        stored.pausedBy = problem
        let paused = stored
        try transaction { (transaction: borrowing Transaction) throws(Problem) in try store.save(paused, in: transaction) }
        return stored
    }

    /// Resumes a paused sink.
    ///
    /// - Parameter skipping: Whether the waiting events or reports are skipped, so that delivery starts with the next one.
    func resumeSink(id: String, skipping: Bool) throws(Problem) -> StoredSink {
        var stored = try sink(id: id)
        if skipping, stored.pausedAt == nil {
            throw .conflict(kind: .sink, id: id, reason: Phrase("is not paused; pause it first"))
        }
        (stored.pausedAt, stored.pausedBy) = (nil, nil)
        let resumed = stored
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.save(resumed, in: transaction)
            guard skipping else { return }
            let newest = try store.newestSequence()
            try store.setCursors(ofSink: id, try skippingCursor(of: resumed), alarms: newest, in: transaction)
            guard resumed.sink.target.kind.contentKind == .events else { return }
            try store.skipFilters(ofSink: id, from: resumed.cursor + 1, in: transaction)
            if newest > resumed.cursor {
                try store.save(
                    .init(from: resumed.cursor + 1, filter: nil, timeZone: resumed.sink.timeZone), ofSink: id, in: transaction)
            }
            try store.save(resumed.sink.filterPeriod(from: newest + 1), ofSink: id, in: transaction)
        }
        return try sink(id: id)
    }

    /// Sends rejected events of a sink again: the one with this number, or all.
    ///
    /// - Returns: The number of events.
    func resendRejected(ofSink id: String, sequence: Int64?) throws(Problem) -> Int {
        try changeRejected(id, sequence) { (transaction: borrowing Transaction) throws(Problem) in
            try store.resendRejected(sequence, ofSink: id, in: transaction)
        }
    }

    /// Discards rejected events of a sink: the one with this number, or all.
    ///
    /// - Returns: The number of events.
    func discardRejected(ofSink id: String, sequence: Int64?) throws(Problem) -> Int {
        let count = try changeRejected(id, sequence) { (transaction: borrowing Transaction) throws(Problem) in
            try store.removeRejected(sequence, ofSink: id, in: transaction)
        }
        try resolveRejected(id)
        return count
    }

    private func changeRejected(
        _ id: String, _ sequence: Int64?, _ change: (borrowing Transaction) throws(Problem) -> Int
    ) throws(Problem) -> Int {
        _ = try sink(id: id)
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
            let count = try change(transaction)
            if count == 0, let sequence { throw .notFound(kind: .rejectedEvent, id: "\(sequence)", similar: []) }
            return count
        }
    }

    /// Resolves the problem of rejected events if there are none left.
    func resolveRejected(_ id: String) throws(Problem) {
        if try store.rejectedEvents(ofSink: id, after: 0, limit: 1).isEmpty { try resolve(source: Sink.rejectedSource(id)) }
    }
}

extension Sink {
    /// The sink's filter for events from a number on.
    fileprivate func filterPeriod(from sequence: Int64) -> PicketStore.FilterPeriod {
        .init(from: sequence, filter: filter, timeZone: timeZone, maxAge: maxAge)
    }
}
