/// Dates in HTTP headers (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT` and the obsolete forms `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`, which
    /// recipients must accept.
    ///
    /// - Returns: Seconds since 1970; nil for anything else.
    static func seconds(_ text: String) -> Int? {
        let parts = text.split(whereSeparator: { " ,-:".contains($0) }).map(String.init)
        let order: [String]
        switch parts.count {
        case 8 where parts[7] == "GMT": order = Array(parts[1...6])
        case 7: order = [parts[2], parts[1], parts[6], parts[3], parts[4], parts[5]]
        default: return nil
        }
        guard let month = months.firstIndex(of: order[1]), let day = Int(order[0]), var year = Int(order[2]),
            let hour = Int(order[3]), let minute = Int(order[4]), let second = Int(order[5])
        else { return nil }
        // A year of two digits is from 1970 to 2069.
        if order[2].count == 2 { year += year < 70 ? 2000 : 1900 }
        // A day may have a leap second at its end.
        guard (1583...9999).contains(year), (1...days(inMonth: month, of: year)).contains(day), (0..<24).contains(hour),
            (0..<60).contains(minute), (0...60).contains(second)
        else { return nil }
        let daysBefore = (0..<month).reduce(0) { $0 + days(inMonth: $1, of: year) }
        let leapYears = { (year: Int) in year / 4 - year / 100 + year / 400 }
        let daysSince1970 = (year - 1970) * 365 + leapYears(year - 1) - leapYears(1969) + daysBefore + day - 1
        return ((daysSince1970 * 24 + hour) * 60 + minute) * 60 + second
    }

    /// - Parameter month: Counted from 0.
    private static func days(inMonth month: Int, of year: Int) -> Int {
        let isLeapYear = year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
        return month == 1 ? (isLeapYear ? 29 : 28) : [3, 5, 8, 10].contains(month) ? 30 : 31
    }
}
