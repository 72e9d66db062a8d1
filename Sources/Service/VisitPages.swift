import Model
import Store

extension Queries {
    /// At most `limit` visits after a place in the list, sorted by the time of the enter.
    ///
    /// - Parameters:
    ///   - place: The value of `Page.next` of the preceding page; nil for the first page.
    ///   - isNewestFirst: Whether the visits are sorted from newest to oldest.
    package func visits(
        _ filter: EventFilter, onlyOpen: Bool = false, after place: String?, isNewestFirst: Bool = false, limit: Int
    ) throws(Problem) -> Page<Visit> {
        let start = try RegionStore.VisitPosition.place(place, reason: .namesNothing(.visit))
        var wanted = filter
        wanted.pageSize = limit + 1
        return try store.snapshot { () throws(Problem) in
            try check(filter)
            var found: [Visit] = []
            try store.forEachVisit(
                wanted, onlyOpen: onlyOpen, after: start, isNewestFirst: isNewestFirst, at: clock.now()
            ) { found.append($0) }
            return Page(found, limit: limit) {
                RegionStore.VisitPosition(enteredAt: $0.enteredAt, deviceId: $0.deviceId, geofenceId: $0.geofenceId).description
            }
        }
    }

    /// At most `limit` totals of visits after a place in the list, sorted by device and geofence.
    ///
    /// - Parameter place: The value of `Page.next` of the preceding page; nil for the first page.
    package func visitTotals(
        _ filter: EventFilter, onlyOpen: Bool, after place: String?, limit: Int
    ) throws(Problem) -> Page<VisitTotal> {
        let start = try RegionStore.VisitTotalPosition.place(place, reason: .namesNothing(.total))
        return try store.snapshot { () throws(Problem) in
            try check(filter)
            var found: [VisitTotal] = []
            try store.forEachVisitTotal(filter, onlyOpen: onlyOpen, after: start, at: clock.now()) {
                found.append($0)
                return found.count <= limit
            }
            return Page(found, limit: limit) {
                RegionStore.VisitTotalPosition(deviceId: $0.deviceId, geofenceId: $0.geofenceId).description
            }
        }
    }
}

extension RegionStore.VisitPosition: PagePlace {
    // The device's id comes last, because it may contain any characters.
    /// The milliseconds since 1970, the geofence and the device, for example `1777629600000~home~anna-phone`.
    package var description: String { "\(enteredAt.milliseconds)~\(geofenceId)~\(deviceId)" }

    package init?(_ text: String) {
        let parts = text.split(separator: "~", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let time = Int64(parts[0]) else { return nil }
        self.init(enteredAt: Instant(milliseconds: time), deviceId: String(parts[2]), geofenceId: String(parts[1]))
    }
}

extension RegionStore.VisitTotalPosition: PagePlace {
    /// The geofence and the device, for example `home~anna-phone`.
    package var description: String { "\(geofenceId)~\(deviceId)" }

    package init?(_ text: String) {
        let parts = text.split(separator: "~", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(deviceId: String(parts[1]), geofenceId: String(parts[0]))
    }
}
