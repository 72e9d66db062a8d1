import Core
import Model
import Places
import Store

extension Queries {
    package typealias EventFilter = PicketStore.EventFilter

    package typealias DeviceStatus = PicketStore.DeviceStatus

    /// Checks that the device and the geofences of a filter exist or existed, because the events of removed ones stay on record. Throws
    /// `Problem.notFound`.
    package func check(_ filter: EventFilter) throws(Problem) {
        if let id = filter.deviceId, try !store.hasKnownDevice(id: id) { _ = try device(id: id) }
        for id in filter.geofenceIds + filter.excludedGeofenceIds {
            if !isRestricted, try store.hasKnownGeofence(id: id) { continue }
            _ = try geofence(id: id)
        }
    }

    /// Converts a filter's cursor to the current epoch; see `StoreEpochs.check(_:newest:)`.
    ///
    /// - Throws: `Problem.cursorGone` if the cursor's epoch is unknown.
    package func convertCursor(_ filter: inout EventFilter) throws(Problem) {
        let epochs = try store.epochs()
        let place =
            try isRestricted
            ? epochs.checkRestricted(filter.cursor) : epochs.check(filter.cursor, newest: store.newestSequence())
        filter.cursor = epochs.cursor(place)
    }

    package func forEachEvent(_ filter: EventFilter, _ body: (Event) throws(Problem) -> Void) throws(Problem) {
        try store.forEachEvent(filter, body)
    }

    /// The sequence number before the first event that a filter with a `limit` admits; see `PicketStore.numberBeforeNewestEvents(_:)`.
    package func numberBeforeNewestEvents(_ filter: EventFilter) throws(Problem) -> Int64 {
        try store.numberBeforeNewestEvents(filter)
    }

    /// Reads the events after a filter's cursor, all as of the same moment, and returns the cursor for the next call.
    func readEvents(_ filter: EventFilter, _ body: (Event) throws(Problem) -> Void) throws(Problem) -> EventCursor {
        var filter = filter
        let cursor = try store.snapshot { () throws(Problem) in
            try convertCursor(&filter)
            let newest = try store.newestSequence()
            filter.upTo = min(filter.upTo ?? .max, newest)
            return try store.epochs().cursor(newest)
        }
        try store.forEachEvent(filter, body)
        return cursor
    }

    /// The number of events of a device, with the retracted ones.
    package func eventCount(ofDevice id: String) throws(Problem) -> Int { try store.eventCount(of: storedDevice(id: id).key) }

    package func epochs() throws(Problem) -> StoreEpochs { try store.epochs() }

    /// The sequence number of the newest event; see `PicketStore.newestSequence()`.
    package func newestSequence() throws(Problem) -> Int64 { try store.newestSequence() }

    /// Reads visits in pages; see `forEachItem(_:_:)`.
    @discardableResult
    package func forEachVisit(
        _ filter: EventFilter, onlyOpen: Bool = false, _ body: (Visit) throws(Problem) -> Void
    ) throws(Problem) -> Int {
        guard filter.limit != nil else {
            return try forEachItem(
                { place throws(Problem) in
                    try visits(filter, onlyOpen: onlyOpen, after: place, limit: store.pieceLimit.items)
                }, body)
        }
        var omitted = 0
        var newest: [Visit] = []
        try store.snapshot { () throws(Problem) in
            try store.forEachVisit(filter, onlyOpen: onlyOpen, at: clock.now(), { newest.append($0) }, omit: { omitted += 1 })
        }
        for visit in newest { try body(visit) }
        return omitted
    }

    /// Reads totals of visits in pages; see `forEachItem(_:_:)`.
    @discardableResult
    func forEachVisitTotal(
        _ filter: EventFilter, onlyOpen: Bool = false, _ body: (VisitTotal) throws(Problem) -> Void
    ) throws(Problem) -> Int {
        try forEachItem(
            { place throws(Problem) in
                try visitTotals(filter, onlyOpen: onlyOpen, after: place, limit: store.pieceLimit.items)
            }, body)
    }

    /// Calls `body` with each item of a list that is read in pages. Each page is read in its own transaction, and none is open while
    /// `body` runs; see `PicketStore.forEachInPieces(from:_:_:)`.
    ///
    /// - Parameter read: Reads the page after a place; nil for the first page.
    /// - Returns: The number of items that the filter of the list left out; see `Page.omitted`.
    @discardableResult
    private func forEachItem<Item: Sendable>(
        _ read: (_ place: String?) throws(Problem) -> Page<Item>, _ body: (Item) throws(Problem) -> Void
    ) throws(Problem) -> Int {
        var place: String?
        var omitted = 0
        repeat {
            if place != nil { try prepareNextPage() }
            let page = try read(place)
            for item in page.items { try body(item) }
            omitted += page.omitted
            place = page.next
        } while place != nil
        return omitted
    }

    /// The status of every device, sorted by id, with the geofences that it is inside of.
    ///
    /// - Parameter isCounting: Whether to compute for how long the devices were seen in these geofences, which reads their positions.
    package func deviceStatuses(
        deviceId: String? = nil, geofenceId: String? = nil, counting isCounting: Bool = false
    ) throws(Problem) -> [DeviceStatus] {
        try store.snapshot { () throws(Problem) in
            try addProblemCodes(
                to: store.statuses(deviceId: deviceId, geofenceId: geofenceId, counting: isCounting, at: clock.now()))
        }
    }

    /// The numbers of objects in a store.
    package struct Totals: Sendable {
        package var geofences: Int
        package var devices: Int
        package var fixes: Int
        package var events: Int
        /// The identity of the store; nil if the store has none.
        package var identity: StoreIdentity?
    }

    package func totals() throws(Problem) -> Totals {
        var totals = try Totals(store)
        // Without a store, an empty one in memory is used, which has another identity each time.
        if !hasStore { totals.identity = nil }
        if isRestricted {
            totals.geofences = 0
            try forEachGeofence { _ in totals.geofences += 1 }
        }
        return totals
    }

    /// A number that changes when another process has written to the store.
    package func changeCounter() throws(Problem) -> Int { try store.externalChangeCounter() }
}

extension Queries.Totals {
    package init(_ store: PicketStore) throws(Problem) {
        geofences = try store.geofenceCount()
        devices = try store.deviceCount()
        fixes = try store.fixCount()
        events = try store.eventCount()
        identity = try StoreIdentity(store)
    }
}

extension Queries.Totals: JSONDescribed {
    /// Without the identity of the store.
    package static let shape = JSONShape<Queries.Totals>(
        "StoreTotals", summary: "The numbers of objects in the store",
        .init("geofences", kind: .whole, summary: "Geofences", content: \.geofences),
        .init("devices", kind: .whole, summary: "Devices", content: \.devices),
        .init("fixes", kind: .whole, summary: "Positions", content: \.fixes),
        .init("events", kind: .whole, summary: "Events", content: \.events)
    ) { geofences, devices, fixes, events in
        Queries.Totals(geofences: geofences, devices: devices, fixes: fixes, events: events)
    }
}
