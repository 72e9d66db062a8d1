/// A set of days of the week.
package struct Weekdays: Hashable, Sendable, CustomStringConvertible {
    /// The days, 0 for Monday to 6 for Sunday.
    package var days: Set<Int>

    package static let all = Weekdays(days: Set(0..<7))

    private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    private init(days: Set<Int>) { self.days = days }

    /// Parses days such as `mon-fri`, `sat,sun` or `fri-mon`; nil for anything else.
    package init?(_ text: some StringProtocol) {
        var found: Set<Int> = []
        for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
            guard let first = ends.first.flatMap({ Self.names.firstIndex(of: String($0)) }),
                let last = ends.last.flatMap({ Self.names.firstIndex(of: String($0)) }), ends.count <= 2
            else { return nil }
            var day = first
            found.insert(day)
            while day != last {
                day = (day + 1) % 7
                found.insert(day)
            }
        }
        days = found
    }

    package func contains(_ date: LocalDate) -> Bool { days.contains(date.weekday) }

    /// The days in the form `mon-fri`, `sat,sun` or `mon,wed-fri`.
    package var description: String {
        var parts: [String] = []
        var day = 0
        while day < 7 {
            guard days.contains(day) else {
                day += 1
                continue
            }
            let first = day
            while days.contains(day + 1) { day += 1 }
            if day - first > 1 {
                parts.append("\(Self.names[first])-\(Self.names[day])")
            } else {
                parts += Self.names[first...day]
            }
            day += 1
        }
        return parts.joined(separator: ",")
    }
}
