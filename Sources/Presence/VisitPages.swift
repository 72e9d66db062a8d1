import Core
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
        let start = try PicketStore.VisitPosition.place(place, reason: .namesNothing(.visit))
        var wanted = filter
        wanted.pageSize = limit + 1
        return try store.snapshot { () throws(Problem) in
            try check(filter)
            var list = PageList<Visit>(limit: limit)
            try store.forEachVisit(
                wanted, onlyOpen: onlyOpen, after: start, isNewestFirst: isNewestFirst, at: clock.now(), { list.add($0) },
                omit: { list.omit() })
            return list.page {
                PicketStore.VisitPosition(enteredAt: $0.enteredAt, deviceId: $0.deviceId, geofenceId: $0.geofenceId).description
            }
        }
    }

    /// At most `limit` totals of visits after a place in the list, sorted by device and geofence.
    ///
    /// - Parameter place: The value of `Page.next` of the preceding page; nil for the first page.
    package func visitTotals(
        _ filter: EventFilter, onlyOpen: Bool, after place: String?, limit: Int
    ) throws(Problem) -> Page<VisitTotal> {
        let start = try PicketStore.VisitTotalPosition.place(place, reason: .namesNothing(.total))
        return try store.snapshot { () throws(Problem) in
            try check(filter)
            var list = PageList<VisitTotal>(limit: limit)
            try store.forEachVisitTotal(filter, onlyOpen: onlyOpen, after: start, at: clock.now()) { total in
                if total.visits > 0 { list.add(total, omitting: total.omittedVisits) } else { list.omit(total.omittedVisits) }
                return !list.isFull
            }
            return list.page { PicketStore.VisitTotalPosition(deviceId: $0.deviceId, geofenceId: $0.geofenceId).description }
        }
    }
}

/// The items of a page as they are read, with the number of items that are left out. What is left out after the last item of a page belongs
/// to the next page, if there is one.
private struct PageList<Item: Sendable> {
    let limit: Int
    private var items: [Item] = []
    private var omitted = 0
    private var omittedSinceLast = 0

    init(limit: Int) { self.limit = limit }

    /// Whether the item that only shows that there is a next page is there.
    var isFull: Bool { items.count > limit }

    mutating func omit(_ count: Int = 1) { omittedSinceLast += count }

    /// - Parameter count: The number of items left out that belong to this one.
    mutating func add(_ item: Item, omitting count: Int = 0) {
        items.append(item)
        if isFull { return }
        omitted += omittedSinceLast + count
        omittedSinceLast = 0
    }

    func page(_ place: (Item) -> String) -> Page<Item> {
        var page = Page(items, limit: limit, place: place)
        page.omitted = isFull ? omitted : omitted + omittedSinceLast
        return page
    }
}

extension PicketStore.VisitPosition: PagePlace {
    // The device's id comes last, because it may contain any characters.
    /// The milliseconds since 1970, the geofence and the device, for example `1777629600000~home~anna-phone`.
    package var description: String { "\(enteredAt.milliseconds)~\(geofenceId)~\(deviceId)" }

    package init?(_ text: String) {
        let parts = text.split(separator: "~", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let time = Int64(parts[0]) else { return nil }
        self.init(enteredAt: Instant(milliseconds: time), deviceId: String(parts[2]), geofenceId: String(parts[1]))
    }
}

extension PicketStore.VisitTotalPosition: PagePlace {
    /// The geofence and the device, for example `home~anna-phone`.
    var description: String { "\(geofenceId)~\(deviceId)" }

    init?(_ text: String) {
        let parts = text.split(separator: "~", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(deviceId: String(parts[1]), geofenceId: String(parts[0]))
    }
}
