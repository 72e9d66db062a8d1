import Model
import Store

extension Queries {
    public typealias EventFilter = RegionStore.EventFilter

    public typealias DeviceStatus = RegionStore.DeviceStatus

    /// Checks that what a filter names is there, or was: what happened stays on record.
    public func check(_ filter: EventFilter) throws(Problem) {
        if let id = filter.deviceId, try !store.hasKnownDevice(id: id) { _ = try device(id: id) }
        if let id = filter.geofenceId, try !store.hasKnownGeofence(id: id) { _ = try geofence(id: id) }
    }

    /// Brings a filter's cursor into the present generation; see `StoreGenerations.check(_:newest:)`.
    ///
    /// - Throws: `Problem.cursorGone`.
    public func adoptCursor(_ filter: inout EventFilter) throws(Problem) {
        let generations = try store.generations()
        filter.cursor = generations.cursor(try generations.check(filter.cursor, newest: try store.newestSequence()))
    }

    public func forEachEvent(_ filter: EventFilter, _ body: (Event) throws(Problem) -> Void) throws(Problem) {
        try store.forEachEvent(filter, body)
    }

    public func readEvents(_ filter: EventFilter, _ body: (Event) throws(Problem) -> Void) throws(Problem) -> EventCursor {
        try store.snapshot { () throws(Problem) in
            var filter = filter
            try adoptCursor(&filter)
            try store.forEachEvent(filter, body)
            return try store.generations().cursor(try store.newestSequence())
        }
    }

    /// The generations of the store.
    public func generations() throws(Problem) -> StoreGenerations { try store.generations() }

    /// The newest number that an event was given; see `RegionStore.newestSequence()`.
    public func newestSequence() throws(Problem) -> Int64 { try store.newestSequence() }

    public func forEachVisit(
        _ filter: EventFilter, onlyOpen: Bool = false, _ body: (Visit) throws(Problem) -> Void
    ) throws(Problem) {
        try store.snapshot { () throws(Problem) in
            try store.forEachVisit(filter, onlyOpen: onlyOpen, at: clock.now(), body)
        }
    }

    public func forEachVisitTotal(
        _ filter: EventFilter, onlyOpen: Bool = false, _ body: (VisitTotal) throws(Problem) -> Void
    ) throws(Problem) {
        try store.snapshot { () throws(Problem) in
            try store.forEachVisitTotal(filter, onlyOpen: onlyOpen, after: nil, at: clock.now()) { total throws(Problem) in
                try body(total)
                return true
            }
        }
    }

    /// Every device, by id, with the fences that it is in.
    ///
    /// - Parameter isCounting: Whether it is told for how long they were seen in these. That takes a look at their positions.
    public func whereabouts(
        deviceId: String? = nil, geofenceId: String? = nil, counting isCounting: Bool = false
    ) throws(Problem) -> [DeviceStatus] {
        try store.snapshot { () throws(Problem) in
            try store.whereabouts(deviceId: deviceId, geofenceId: geofenceId, counting: isCounting, at: clock.now())
        }
    }

    /// What a store holds, in numbers.
    public struct Totals: Sendable {
        public var geofences: Int
        public var devices: Int
        public var fixes: Int
        public var events: Int
        /// Which store it is; nil when it does not say.
        public var identity: StoreIdentity?

        public init(geofences: Int, devices: Int, fixes: Int, events: Int, identity: StoreIdentity? = nil) {
            self.geofences = geofences
            self.devices = devices
            self.fixes = fixes
            self.events = events
            self.identity = identity
        }
    }

    public func totals() throws(Problem) -> Totals {
        var totals = try Totals(store)
        // What stands in for a store that is not there yet is another one each time.
        if !hasStore { totals.identity = nil }
        return totals
    }

    /// A number that changes when another process has written something.
    public func changeCounter() throws(Problem) -> Int { try store.changeCounter() }
}

extension Queries.Totals {
    init(_ store: RegionStore) throws(Problem) {
        geofences = try store.geofenceCount()
        devices = try store.deviceCount()
        fixes = try store.fixCount()
        events = try store.eventCount()
        identity = try StoreIdentity(store)
    }
}
