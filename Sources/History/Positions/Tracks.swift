import Core
import Model
import Store

extension Queries {
    typealias TrackPoint = PicketStore.TrackPoint

    /// At most `limit` fixes of a device after a place in its track, sorted by time.
    ///
    /// - Parameter place: The value of `Page.next` of the preceding page; nil for the first page.
    /// - Throws: `Problem.notFound` if the device is unknown, `Problem.validationFailed` if `place` is invalid.
    func track(
        of id: String, since: Instant?, until: Instant?, after place: String?, limit: Int
    ) throws(Problem) -> Page<TrackPoint> {
        let start = try PicketStore.TrackPosition.place(place, reason: .namesNothing(.placeInTrack))
        return try store.snapshot { () throws(Problem) in
            let stored = try storedDevice(id: id)
            let points = try store.track(of: stored.key, since: since, until: until, after: start, limit: limit + 1)
            return Page(points, limit: limit) { $0.place.description }
        }
    }
}

extension PicketStore.TrackPosition: PagePlace {
    /// The milliseconds since 1970 and the number of the fix, for example `1777629600000.17`.
    package var description: String { "\(time.milliseconds).\(number)" }

    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), let number = Int64(parts[1]) else { return nil }
        self.init(time: Instant(milliseconds: time), number: number)
    }
}

extension PicketStore.TrackPoint {
    var json: JSONValue { fix.json(isLate: isLate, isValid: isValid, attributes: attributes) }
}

extension Fix {
    /// A fix with everything that is stored about it.
    typealias StoredValues = (fix: Fix, isLate: Bool, isValid: Bool, attributes: JSONValue?)

    static let storedOutput = JSONOutput<StoredValues>(
        "TrackPoint", summary: "A stored position",
        .init("timestamp", kind: .time, summary: "When the device was there", content: \.fix.time),
        .init("latitude", kind: .number, summary: "Degrees", content: \.fix.coordinate.latitude),
        .init("longitude", kind: .number, summary: "Degrees", content: \.fix.coordinate.longitude),
        .init("accuracy", optional: .number, summary: "Radius in meters, 68 %", content: \.fix.accuracy),
        .init("altitude", optional: .number, summary: "Meters", content: \.fix.altitude),
        .init("speed", optional: .number, summary: "Meters per second", content: \.fix.speed),
        .init("course", optional: .number, summary: "Degrees clockwise from north", content: \.fix.course),
        .init("battery", optional: .number, summary: "0 to 1", content: \.fix.battery),
        .init("late", optional: .flag, summary: "Whether it arrived after a newer one", content: { $0.isLate ? true : nil }),
        .init(
            "valid", optional: .flag,
            summary: "False if the device marks it as invalid: it is stored and never evaluated",
            content: { $0.isValid ? nil : false }),
        .init("attributes", optional: .anyObject, summary: "What else its source reported", content: \.attributes?.members))

    func json(isLate: Bool, isValid: Bool, attributes: JSONValue?) -> JSONValue {
        Self.storedOutput.encode((self, isLate, isValid, attributes))
    }
}
