import Model

/// The time zone of a sink's time windows and messages.
package typealias SinkTimeZone = LocalTimeZone

extension LocalTimeZone {
    /// Minutes since Monday, 00:00.
    func minuteOfWeek(_ moment: Instant) -> Int {
        let date = date(of: moment)
        let minutes = Int((local(moment).seconds / 60).rounded(.down)) - Int(date.day) * 1440
        return date.weekday * 1440 + minutes
    }

    /// The local time, such as `14:02`.
    func clockTime(_ moment: Instant) -> String { String(local(moment).description.dropFirst(11).prefix(5)) }

    /// The local date and time, such as `2026-05-01 14:02`.
    func dateTime(_ moment: Instant) -> String { local(moment).description.prefix(10) + " " + clockTime(moment) }
}
