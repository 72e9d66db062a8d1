/// A time window on some days of the week, such as `22:00-07:00`, `mon-fri 08:00-18:00` or `sat,sun 10:00-24:00`.
///
/// A window whose end is not after its start extends into the next day, and belongs to the day on which it begins.
package struct WeeklyWindow: Hashable, Sendable {
    /// The days on which the window begins, 0 for Monday.
    package var days: Set<Int>
    /// Minutes since midnight, 0 … 1439.
    package var start: Int
    /// Minutes since the midnight before `start`: greater than `start`, by at most a day.
    package var end: Int
    /// The text that was parsed.
    package var text: String

    /// - Throws: `Problem.validationFailed` when the text is not a window.
    package init(_ text: String, field: String) throws(Problem) {
        self.text = text
        let words = text.split(separator: " ")
        guard let hours = words.last, words.count <= 2 else { throw Self.invalidWindow(text, field: field) }
        let times = hours.split(separator: "-", omittingEmptySubsequences: false)
        guard times.count == 2, let start = TimeOfDay(times[0])?.minutes, let end = TimeOfDay(times[1])?.minutes, start < 1440
        else { throw Self.invalidWindow(text, field: field) }
        guard let days = words.count == 2 ? Weekdays(words[0]) : .all else { throw Self.invalidWindow(text, field: field) }
        self.days = days.days
        self.start = start
        self.end = end > start ? end : end + 1440
    }

    /// Windows that semicolons separate, such as `22:00-07:00; sat,sun 00:00-24:00`.
    package static func list(_ text: String, field: String) throws(Problem) -> [WeeklyWindow] {
        var parts = text.split(separator: ";", omittingEmptySubsequences: false).map {
            $0.split(separator: " ").joined(separator: " ")
        }
        // The last window may have a semicolon as well.
        if parts.count > 1, parts.last == "" { parts.removeLast() }
        return try list(parts, field: field)
    }

    package static func list(_ texts: [String], field: String) throws(Problem) -> [WeeklyWindow] {
        try texts.map { text throws(Problem) in try WeeklyWindow(text, field: field) }
    }

    private static func invalidWindow(_ text: String, field: String) -> Problem {
        .validationFailed(
            field: field, value: text, reason: Phrase("it is not a time of the day or week"), expected: .weeklyWindow)
    }

    /// Whether the window contains a minute of the week (0 is the first of Monday).
    package func contains(_ minute: Int) -> Bool {
        days.contains { day in
            let since = minute - day * 1440
            // A window on Sunday night extends into the first hours of Monday.
            return (start..<end).contains(since) || (start..<end).contains(since + 7 * 1440)
        }
    }
}
