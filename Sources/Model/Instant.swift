/// A moment in milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
public struct Instant: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64

    /// Creates a moment from milliseconds since 1970-01-01T00:00:00Z.
    @inlinable
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// A moment from Unix seconds, rounded to milliseconds. Nil outside the years 0000 … 9999, and for NaN.
    public init?(seconds: Double) {
        guard seconds >= Double(Self.earliest.milliseconds) / 1000, seconds <= Double(Self.latest.milliseconds) / 1000 else {
            return nil
        }
        milliseconds = Int64((seconds * 1000).rounded())
    }

    /// 0000-01-01T00:00:00.000Z, the first moment that RFC 3339 can write.
    @inlinable public static var earliest: Instant { Instant(milliseconds: -62_167_219_200_000) }
    /// 9999-12-31T23:59:59.999Z, the last moment that RFC 3339 can write.
    @inlinable public static var latest: Instant { Instant(milliseconds: 253_402_300_799_999) }

    /// Seconds since 1970.
    @inlinable
    public var seconds: Double { Double(milliseconds) / 1000 }

    @inlinable
    public static func < (a: Instant, b: Instant) -> Bool { a.milliseconds < b.milliseconds }

    /// Seconds from `b` to `a`.
    @inlinable
    public static func - (a: Instant, b: Instant) -> Double { Double(a.milliseconds - b.milliseconds) / 1000 }

    /// The moment `seconds` later, rounded to milliseconds and limited to `earliest` … `latest`.
    @inlinable
    public static func + (a: Instant, seconds: Double) -> Instant {
        let difference = (seconds * 1000).rounded()
        // 2^62 milliseconds exceed the difference between any two moments.
        guard difference.magnitude < 0x1p62 else { return difference > 0 ? latest : earliest }
        let (sum, isTooFar) = a.milliseconds.addingReportingOverflow(Int64(difference))
        if isTooFar { return difference > 0 ? latest : earliest }
        return Instant(milliseconds: min(max(sum, earliest.milliseconds), latest.milliseconds))
    }
}

// MARK: - RFC 3339

extension Instant: CustomStringConvertible, LosslessStringConvertible {
    /// RFC 3339 in UTC with milliseconds, as `2026-05-01T10:00:00.000Z`.
    public var description: String { String(unsafeUninitializedCapacity: 24) { write(to: $0) } }

    /// Writes the 24 bytes of the description.
    ///
    /// - Returns: The number of bytes.
    @discardableResult
    func write(to bytes: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let (days, dayMilliseconds) = milliseconds.flooredDivision(by: 86_400_000)
        let (year, month, day) = Self.civil(days: days)
        var index = 0
        func put(_ value: Int64, _ digits: Int, then separator: UInt8) {
            var rest = value
            for place in stride(from: index + digits - 1, through: index, by: -1) {
                bytes[place] = UInt8(truncatingIfNeeded: 48 + rest % 10)
                rest /= 10
            }
            index += digits
            bytes[index] = separator
            index += 1
        }
        put(year, 4, then: UInt8(ascii: "-"))
        put(month, 2, then: UInt8(ascii: "-"))
        put(day, 2, then: UInt8(ascii: "T"))
        put(dayMilliseconds / 3_600_000, 2, then: UInt8(ascii: ":"))
        put(dayMilliseconds / 60_000 % 60, 2, then: UInt8(ascii: ":"))
        put(dayMilliseconds / 1000 % 60, 2, then: UInt8(ascii: "."))
        put(dayMilliseconds % 1000, 3, then: UInt8(ascii: "Z"))
        return index
    }

    /// Parses RFC 3339 and similar forms of ISO 8601; see `init(rfc3339:)`.
    public init?(_ text: String) {
        var text = text
        let parsed = text.withUTF8 { Instant(rfc3339: $0) }
        guard let parsed else { return nil }
        self = parsed
    }

    /// Parses a time such as `2026-05-01T10:00:00Z` from UTF-8. Date and time are separated by `T`, `t` or a space. Seconds may be left
    /// out. A fraction of any length may follow after `.` or `,`, and is truncated to milliseconds. The offset is `Z`, `z`, `±hh:mm`,
    /// `±hhmm`, or missing for UTC. A leap second (`:60`) counts as the second after it. Nil for anything else.
    public init?(rfc3339 bytes: UnsafeBufferPointer<UInt8>) {
        var index = 0
        func number(_ digits: Int) -> Int64? {
            guard index + digits <= bytes.count else { return nil }
            var value: Int64 = 0
            for _ in 0..<digits {
                let digit = bytes[index] &- 48
                guard digit <= 9 else { return nil }
                value = value * 10 + Int64(digit)
                index += 1
            }
            return value
        }
        func skip(_ byte: UInt8) -> Bool {
            guard index < bytes.count, bytes[index] == byte else { return false }
            index += 1
            return true
        }
        guard let year = number(4), skip(UInt8(ascii: "-")),
            let month = number(2), (1...12).contains(month), skip(UInt8(ascii: "-")),
            let day = number(2), day >= 1, day <= Self.daysInMonth(month, year: year),
            skip(UInt8(ascii: "T")) || skip(UInt8(ascii: "t")) || skip(UInt8(ascii: " ")),
            let hour = number(2), hour <= 23, skip(UInt8(ascii: ":")),
            let minute = number(2), minute <= 59
        else { return nil }
        var total = Self.days(year: year, month: month, day: day) * 86_400_000 + (hour * 60 + minute) * 60_000
        if skip(UInt8(ascii: ":")) {
            guard let second = number(2), second <= 60 else { return nil }
            total += second * 1000
            if skip(UInt8(ascii: ".")) || skip(UInt8(ascii: ",")) {
                var scale: Int64 = 100
                let start = index
                while index < bytes.count, bytes[index] &- 48 <= 9 {
                    total += Int64(bytes[index] &- 48) * scale
                    scale /= 10
                    index += 1
                }
                guard index > start else { return nil }
            }
        }
        if index < bytes.count, !skip(UInt8(ascii: "Z")), !skip(UInt8(ascii: "z")) {
            let sign: Int64
            if skip(UInt8(ascii: "+")) {
                sign = -1
            } else if skip(UInt8(ascii: "-")) {
                sign = 1
            } else {
                return nil
            }
            guard let hours = number(2), hours <= 23 else { return nil }
            _ = skip(UInt8(ascii: ":"))
            guard let minutes = number(2), minutes <= 59 else { return nil }
            total += sign * (hours * 60 + minutes) * 60_000
        }
        guard index == bytes.count else { return nil }
        milliseconds = total
    }

    // MARK: Calendar

    /// The number of days of a month, 1 … 12, in the proleptic Gregorian calendar.
    package static func daysInMonth(_ month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 to a date in the proleptic Gregorian calendar. Years are counted from March, in eras of 400 years (H. Hinnant,
    /// "chrono-Compatible Low-Level Date Algorithms").
    public static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shifted.flooredDivision(by: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date of a number of days since 1970-01-01; the inverse of `days(year:month:day:)`.
    static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

extension Int64 {
    /// The quotient rounded down, and its remainder (0 … divisor − 1).
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let remainder = self % divisor
        return remainder < 0 ? (self / divisor - 1, remainder + divisor) : (self / divisor, remainder)
    }
}
