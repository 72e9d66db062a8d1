import Model

/// A part of some days of the week, as `22:00-07:00`, `mon-fri 08:00-18:00` or `sat,sun 10:00-24:00`.
///
/// One that ends no later than it begins goes into the next day, and belongs to the day on which it begins.
public struct WeeklyWindow: Hashable, Sendable {
    /// The days on which it begins, Monday being 0.
    public var days: Set<Int>
    /// Minutes from midnight: 0 … 1439.
    public var start: Int
    /// Minutes from the midnight before `start`: greater than `start`, at most a day later.
    public var end: Int
    /// As it was written.
    public var text: String

    private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    /// What would be right, for messages.
    public static let form = "HH:MM-HH:MM, perhaps with days before it, as 22:00-07:00 or mon-fri 08:00-18:00"

    /// - Throws: `Problem.validationFailed` for what is no window.
    public init(_ text: String, field: String) throws(Problem) {
        self.text = text
        let words = text.split(separator: " ")
        guard let hours = words.last, words.count <= 2 else { throw Self.wrong(text, field) }
        let times = hours.split(separator: "-", omittingEmptySubsequences: false)
        guard times.count == 2, let start = Self.minute(times[0]), let end = Self.minute(times[1]), start < 1440 else {
            throw Self.wrong(text, field)
        }
        guard let days = words.count == 2 ? Self.days(words[0]) : Set(0..<7) else { throw Self.wrong(text, field) }
        self.days = days
        self.start = start
        self.end = end > start ? end : end + 1440
    }

    private static func wrong(_ text: String, _ field: String) -> Problem {
        .validationFailed(field: field, value: text, reason: "it is no time of the day or week", expected: form)
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.utf8.allSatisfy { $0 &- 48 <= 9 } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60, hour * 60 + minute <= 1440
        else { return nil }
        return hour * 60 + minute
    }

    /// `mon-fri`, `sat,sun`, `fri-mon`.
    private static func days(_ text: Substring) -> Set<Int>? {
        var found: Set<Int> = []
        for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
            guard let first = ends.first.flatMap({ names.firstIndex(of: String($0)) }),
                let last = ends.last.flatMap({ names.firstIndex(of: String($0)) }), ends.count <= 2
            else { return nil }
            var day = first
            found.insert(day)
            while day != last {
                day = (day + 1) % 7
                found.insert(day)
            }
        }
        return found
    }

    /// Whether a minute of the week (Monday's first is 0) lies in it.
    public func contains(_ minute: Int) -> Bool {
        days.contains { day in
            let since = minute - day * 1440
            // Sunday night goes on in Monday's first hours.
            return (start..<end).contains(since) || (start..<end).contains(since + 7 * 1440)
        }
    }
}
