import Model

/// Parses the times in position files.
enum Timestamp {
    /// Unix times from this number (2³¹ − 1) on are in milliseconds, smaller ones in seconds. Trackers and Traccar Client use the same
    /// rule.
    static let leastMilliseconds = 2_147_483_647.0

    /// Parses RFC 3339 and similar forms (see `Instant.init(rfc3339:)`), or Unix seconds or milliseconds. Nil for anything else, and
    /// outside the years 0000 … 9999.
    @inline(__always)
    static func parse(_ bytes: Bytes, _ range: Range<Int>) -> Instant? {
        if range.count > 4, bytes[range.lowerBound + 4] == UInt8(ascii: "-"), bytes[range.lowerBound + 3].isDigit {
            let time = unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe Instant(rfc3339: $0) }
            guard let time, time >= .earliest, time <= .latest else { return nil }
            return time
        }
        guard let number = DecimalNumber.parse(bytes, range) else { return nil }
        return instant(unix: number)
    }

    /// Parses a time whose date is in a separate field, such as `2026-05-01` or `2026/05/01` and `10:00:00`.
    static func parse(date: Range<Int>, time: Range<Int>, in bytes: Bytes) -> Instant? {
        var whole: [UInt8] = []
        for index in date { whole.append(bytes[index] == UInt8(ascii: "/") ? UInt8(ascii: "-") : bytes[index]) }
        whole.append(UInt8(ascii: "T"))
        bytes.append(time, to: &whole)
        return parse(whole.span, 0..<whole.count)
    }

    /// A moment from Unix seconds or milliseconds. Nil outside the years 0000 … 9999.
    static func instant(unix number: Double) -> Instant? {
        guard number >= leastMilliseconds else { return Instant(seconds: number) }
        guard number <= Double(Instant.latest.milliseconds) else { return nil }
        return Instant(milliseconds: Int64(number.rounded()))
    }
}
