/// A time of day with a precision of one minute.
package struct TimeOfDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Minutes since midnight, 0 … 1440; 1440 is the end of the day.
    package var minutes: Int

    package static let midnight = TimeOfDay(minutes: 0)

    private init(minutes: Int) { self.minutes = minutes }

    /// Parses a time from `00:00` to `24:00`, also without the first zero, as `8:15`; nil for anything else.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { $0 &- 48 <= 9 } }), let hour = Int(parts[0]), let minute = Int(parts[1]),
            minute < 60, hour * 60 + minute <= 1440
        else { return nil }
        minutes = hour * 60 + minute
    }

    /// The time in the form `08:15`.
    package var description: String {
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return digits(minutes / 60) + ":" + digits(minutes % 60)
    }

    package static func < (a: TimeOfDay, b: TimeOfDay) -> Bool { a.minutes < b.minutes }
}
