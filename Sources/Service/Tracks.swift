import Model
import Store

extension Queries {
    public typealias TrackPoint = RegionStore.TrackPoint

    /// So many fixes that are not in order by device yet are looked through for each question; when there are more, they are put
    /// in order first.
    public static let mostUnorderedFixes = 20_000

    /// Whether a device's track can be read without a look at too many fixes of others.
    public func canReadTracks() throws(Problem) -> Bool { try store.unorderedFixCount() <= Self.mostUnorderedFixes }

    /// The fixes of a device in order of time: the first after a place.
    ///
    /// - Parameter place: What `Page.next` said.
    public func track(
        of id: String, since: Instant?, until: Instant?, after place: String?, limit: Int
    ) throws(Problem) -> Page<TrackPoint> {
        let start = try RegionStore.TrackPlace.place(place, reason: "it names no place in a track")
        return try store.snapshot { () throws(Problem) in
            let stored = try storedDevice(id: id)
            let points = try store.track(of: stored.key, since: since, until: until, after: start, limit: limit + 1)
            return Page(points, limit: limit) { $0.place.description }
        }
    }
}

extension ServiceWriter {
    /// Puts fixes in order by device and time.
    ///
    /// - Parameter most: Stops after about so many.
    public func orderFixes(atMost most: Int = .max) throws(Problem) {
        try transaction { () throws(Problem) in try store.orderFixes(atMost: most) }
    }
}

extension RegionStore.TrackPlace: PagePlace {
    /// Milliseconds and number, as `1777629600000.17`.
    public var description: String { "\(time.milliseconds).\(number)" }

    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), let number = Int64(parts[1]) else { return nil }
        self.init(time: Instant(milliseconds: time), number: number)
    }
}

extension RegionStore.TrackPoint {
    public var json: JSONValue { fix.json(isLate: isLate, isValid: isValid, attributes: attributes) }
}

extension Fix {
    /// All that is stored of it.
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
