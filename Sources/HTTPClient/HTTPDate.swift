import Model

/// The dates in HTTP headers (RFC 9110, section 5.6.7).
enum HTTPDate {
    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`, which
    /// recipients have to accept. Nil for anything else.
    static func parse(_ text: String) -> Instant? {
        let parts = text.split(whereSeparator: { " ,-:".contains($0) }).map(String.init)
        let order: [String]
        switch parts.count {
        case 8 where parts[7] == "GMT": order = Array(parts[1...6])
        case 7: order = [parts[2], parts[1], parts[6], parts[3], parts[4], parts[5]]
        default: return nil
        }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard let month = months.firstIndex(of: order[1]), let day = Int(order[0]), var year = Int(order[2]) else { return nil }
        // Two digits are a year from 1970 to 2069.
        if order[2].count == 2 { year += year < 70 ? 2000 : 1900 }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return Instant("\(year)-\(two(month + 1))-\(two(day))T\(order[3]):\(order[4]):\(order[5])Z")
    }
}
