/// GPS counts weeks with ten bits: after 1,024 weeks, the counter starts again. A receiver that does not take this into account
/// is then 1,024 weeks behind.
package enum GPSWeekRollover {
    /// The weeks after which the counter starts again.
    package static let weeks = 1024
    /// The same in days.
    package static let days = weeks * 7

    /// How often the counter of a receiver has started again without its knowledge; nil if the lag is not explained by that, to a day.
    ///
    /// - Parameter lag: How far the receiver's time is behind the clock, in seconds.
    package static func count(inLag lag: Double) -> Int? {
        let days = lag / 86_400
        let count = (days / Double(Self.days)).rounded()
        return count >= 1 && abs(days - count * Double(Self.days)) <= 1 ? Int(count) : nil
    }
}
