import Model
import Store

extension Queries {
    package typealias TrackPoint = RegionStore.TrackPoint

    /// The maximum number of fixes not yet sorted by device that are searched in each query. If there are more, they have to be sorted
    /// first.
    package static let mostUnorderedFixes = 20_000

    /// Whether a device's track can be read without searching too many fixes of other devices.
    package func canReadTracks() throws(Problem) -> Bool { try store.unorderedFixCount() <= Self.mostUnorderedFixes }

    /// At most `limit` fixes of a device after a place in its track, sorted by time.
    ///
    /// - Parameter place: The value of `Page.next` of the preceding page; nil for the first page.
    /// - Throws: `Problem.notFound` if the device is unknown, `Problem.validationFailed` if `place` is invalid.
    package func track(
        of id: String, since: Instant?, until: Instant?, after place: String?, limit: Int
    ) throws(Problem) -> Page<TrackPoint> {
        let start = try RegionStore.TrackPosition.place(place, reason: .namesNothing(.placeInTrack))
        return try store.snapshot { () throws(Problem) in
            let stored = try storedDevice(id: id)
            let points = try store.track(of: stored.key, since: since, until: until, after: start, limit: limit + 1)
            return Page(points, limit: limit) { $0.place.description }
        }
    }
}

extension ServiceWriter {
    /// Sorts stored fixes by device and time.
    ///
    /// - Parameter most: Stops after approximately this number of fixes.
    package func sortFixes(atMost most: Int = .max) throws(Problem) {
        try transaction { () throws(Problem) in try store.orderFixes(atMost: most) }
    }
}

extension RegionStore.TrackPosition: PagePlace {
    /// The milliseconds since 1970 and the number of the fix, for example `1777629600000.17`.
    package var description: String { "\(time.milliseconds).\(number)" }

    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), let number = Int64(parts[1]) else { return nil }
        self.init(time: Instant(milliseconds: time), number: number)
    }
}

extension RegionStore.TrackPoint {
    package var json: JSONValue { fix.json(isLate: isLate, isValid: isValid, attributes: attributes) }
}

extension Fix {
    /// All stored values of the fix.
    func json(isLate: Bool, isValid: Bool = true, attributes: JSONValue?) -> JSONValue {
        .compact([
            ("timestamp", JSONValue(time)),
            ("latitude", JSONValue(coordinate.latitude)),
            ("longitude", JSONValue(coordinate.longitude)),
            ("accuracy", accuracy.map { JSONValue($0) }),
            ("altitude", altitude.map { JSONValue($0) }),
            ("speed", speed.map { JSONValue($0) }),
            ("course", course.map { JSONValue($0) }),
            ("battery", battery.map { JSONValue($0) }),
            ("late", isLate ? true : nil),
            ("valid", isValid ? nil : false),
            ("attributes", attributes),
        ])
    }
}
