import Model

/// Reads the times that position files carry.
enum Timestamp {
    /// From this number on (2³¹ − 1) a Unix time counts milliseconds, below it seconds: the rule that trackers and the Traccar
    /// client share.
    static let leastMilliseconds = 2_147_483_647.0

    /// RFC 3339 and its kin (see `Instant.init(rfc3339:)`), or Unix seconds or milliseconds. Nil for anything else, and for what
    /// lies outside the years 0000 … 9999.
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

    /// A time whose date stands in a field of its own, as `2026-05-01` or `2026/05/01` beside `10:00:00`.
    static func parse(date: Range<Int>, time: Range<Int>, in bytes: Bytes) -> Instant? {
        var whole: [UInt8] = []
        for index in date { whole.append(bytes[index] == UInt8(ascii: "/") ? UInt8(ascii: "-") : bytes[index]) }
        whole.append(UInt8(ascii: "T"))
        bytes.append(time, to: &whole)
        return parse(whole.span, 0..<whole.count)
    }

    /// A moment by Unix seconds or milliseconds. Nil outside the years 0000 … 9999.
    static func instant(unix number: Double) -> Instant? {
        guard number >= leastMilliseconds else { return Instant(seconds: number) }
        guard number <= Double(Instant.latest.milliseconds) else { return nil }
        return Instant(milliseconds: Int64(number.rounded()))
    }
}
