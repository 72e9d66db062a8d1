import Model

/// A time zone, as far as sinks need one. What a name in the IANA database means is known to whoever makes it.
public struct SinkTimeZone: Sendable {
    /// As `Europe/Berlin`.
    public var name: String
    /// Seconds that local time is ahead of UTC at a moment.
    private let offset: @Sendable (Instant) -> Int

    public init(name: String, offset: @escaping @Sendable (Instant) -> Int) {
        self.name = name
        self.offset = offset
    }

    public static let utc = SinkTimeZone(name: "UTC") { _ in 0 }

    /// The local time of a moment, as if it were UTC.
    private func local(_ moment: Instant) -> Instant { moment + Double(offset(moment)) }

    /// Minutes since Monday's first.
    func minuteOfWeek(_ moment: Instant) -> Int {
        // 1 January 1970 was a Thursday.
        let minutes = Int((local(moment).seconds / 60).rounded(.down)) + 3 * 1440
        let rest = minutes % (7 * 1440)
        return rest < 0 ? rest + 7 * 1440 : rest
    }

    /// As `14:02`.
    func clockTime(_ moment: Instant) -> String { String(local(moment).description.dropFirst(11).prefix(5)) }

    /// As `2026-05-01 14:02`.
    func dateTime(_ moment: Instant) -> String { local(moment).description.prefix(10) + " " + clockTime(moment) }
}
