import Model

/// Scans a date and a time of day in the forms that people and programs write. None of them can mean two times, except a numeric date
/// without the order of its day and month.
///
/// - The date: `2026-06-01`, also with `/`, `.` or `:`; `20260601`; `1 Jun 2026`, also after a day of the week (RFC 5322); `1.6.2026`, which
///   is day first; or a numeric date (`06/01/2026`, `06-01-2026`).
/// - Between them: `T`, or white space, also after a comma.
/// - The time of day: `13:02`, `13:02:03`, with a fraction after `.` or `,`, which is truncated to milliseconds; the same without colons; or
///   with AM or PM. A leap second (`:60`) counts as the second after it.
/// - The offset, also after white space: `Z`, `UTC`, `GMT`, `±hh`, `±hhmm` or `±hh:mm`, also before a zone's name in brackets (RFC 9557).
struct TimeScanner {
    private var index: Int
    private let end: Int

    private init(_ range: Range<Int>) { (index, end) = (range.lowerBound, range.upperBound) }

    private enum ScannedDate {
        /// Days since 1970-01-01.
        case days(Int64)
        case numeric(first: Int64, second: Int64, year: Int64)
    }

    /// The time that fills a range.
    @inline(never)
    static func scan(_ bytes: Bytes, _ range: Range<Int>) -> WrittenTime {
        let range = bytes.trimmed(range)
        var scanner = TimeScanner(range)
        guard let date = scanner.date(bytes) else {
            var clock = TimeScanner(range)
            return .unusable(clock.timeOfDay(bytes) != nil && clock.hasColons ? .timeOfDayOnly : .notATime)
        }
        if scanner.index == scanner.end { return .unusable(.dateOnly) }
        guard scanner.skipSeparator(bytes) else { return .unusable(.notATime) }
        return scanner.time(on: date, bytes)
    }

    /// The time whose date and time of day fill two ranges.
    static func scan(date: Range<Int>, time: Range<Int>, in bytes: Bytes) -> WrittenTime {
        var scanner = TimeScanner(bytes.trimmed(date))
        guard let date = scanner.date(bytes), scanner.index == scanner.end else { return .unusable(.notATime) }
        scanner = TimeScanner(bytes.trimmed(time))
        return scanner.time(on: date, bytes)
    }

    /// The local time in the fourteen digits of a number, such as 20260601130203; nil if they are not a time. A fraction is a
    /// part of a second.
    static func scan(digits number: Double) -> WrittenTime? {
        let whole = Int64(number)
        let (date, time) = (whole / 1_000_000, whole % 1_000_000)
        guard let days = days(year: date / 10_000, month: date / 100 % 100, day: date % 100),
            time / 10_000 <= 23, time / 100 % 100 <= 59, time % 100 <= 60
        else { return nil }
        let seconds = time / 10_000 * 3600 + time / 100 % 100 * 60 + time % 100
        let fraction = Int64((number - Double(whole)) * 1000)
        return .local(Instant(milliseconds: (days * 86_400 + seconds) * 1000 + fraction))
    }

    /// Days from 1970-01-01 to a date; nil if the date does not exist.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64? {
        guard (0...9999).contains(year), (1...12).contains(month), day >= 1, day <= Instant.daysInMonth(month, year: year) else {
            return nil
        }
        return Instant.days(year: year, month: month, day: day)
    }

    // MARK: Tokens

    private func isNext(_ byte: UInt8, _ bytes: Bytes) -> Bool { index < end && bytes[index] == byte }

    private mutating func skip(_ byte: UInt8, _ bytes: Bytes) -> Bool {
        guard isNext(byte, bytes) else { return false }
        index += 1
        return true
    }

    /// Skips white space. Returns whether there was any.
    private mutating func skipSpaces(_ bytes: Bytes) -> Bool {
        let start = index
        while index < end, bytes[index].isSpace { index += 1 }
        return index > start
    }

    /// The number of digits at the index.
    private func digitCount(_ bytes: Bytes) -> Int {
        var place = index
        while place < end, bytes[place].isDigit { place += 1 }
        return place - index
    }

    /// The number with exactly this many digits; nil if there are fewer.
    private mutating func number(_ count: Int, _ bytes: Bytes) -> Int64? {
        guard index + count <= end else { return nil }
        var value: Int64 = 0
        for place in index..<(index + count) {
            guard bytes[place].isDigit else { return nil }
            value = value * 10 + Int64(bytes[place] &- 48)
        }
        index += count
        return value
    }

    /// A number of one or two digits.
    private mutating func shortNumber(_ bytes: Bytes) -> Int64? {
        let count = digitCount(bytes)
        return count == 1 || count == 2 ? number(count, bytes) : nil
    }

    private static let weekdays: [StaticString] = [
        "thursday", "friday", "saturday", "sunday", "monday", "tuesday", "wednesday",
    ]
    private static let months: [StaticString] = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
    ]
    private static let zones: [StaticString] = ["utc", "gmt"]

    /// The place of the letters at the index in a list of words, which may be shortened to three or four letters; nil for other letters.
    private mutating func word(of list: [StaticString], _ bytes: Bytes) -> Int64? {
        var stop = index
        while stop < end, bytes[stop].isLetter { stop += 1 }
        let count = stop - index
        for (place, word) in list.enumerated() where count == word.utf8CodeUnitCount || count == 3 || count == 4 {
            guard count <= word.utf8CodeUnitCount else { continue }
            if (0..<count).allSatisfy({ unsafe bytes[index + $0] | 0x20 == word.utf8Start[$0] }) {
                index = stop
                return Int64(place)
            }
        }
        return nil
    }

    // MARK: Date

    private mutating func date(_ bytes: Bytes) -> ScannedDate? {
        var weekday: Int64?
        if index < end, bytes[index].isLetter {
            weekday = word(of: Self.weekdays, bytes)
            if weekday == nil { return nil }
            _ = skip(UInt8(ascii: ","), bytes)
            guard skipSpaces(bytes), digitCount(bytes) <= 2 else { return nil }
        }
        switch digitCount(bytes) {
        case 4:
            guard let year = number(4, bytes), let separator = separator(bytes, "-/.:"),
                let month = shortNumber(bytes), skip(separator, bytes), let day = shortNumber(bytes)
            else { return nil }
            return Self.days(year: year, month: month, day: day).map { .days($0) }
        case 8, 14:
            guard let year = number(4, bytes), let month = number(2, bytes), let day = number(2, bytes) else { return nil }
            return Self.days(year: year, month: month, day: day).map { .days($0) }
        case 1, 2:
            guard let first = shortNumber(bytes) else { return nil }
            if let separator = separator(bytes, "/-."), digitCount(bytes) > 0 {
                guard let second = shortNumber(bytes), skip(separator, bytes), digitCount(bytes) == 4,
                    let year = number(4, bytes)
                else { return nil }
                if separator == UInt8(ascii: ".") { return Self.days(year: year, month: second, day: first).map { .days($0) } }
                return .numeric(first: first, second: second, year: year)
            }
            _ = skipSpaces(bytes)
            guard let month = word(of: Self.months, bytes),
                skipSpaces(bytes) || skip(UInt8(ascii: "-"), bytes), digitCount(bytes) == 4, let year = number(4, bytes),
                let days = Self.days(year: year, month: month + 1, day: first)
            else { return nil }
            // 1970-01-01 was a Thursday, the first of the list.
            if let weekday, ((days % 7) + 7) % 7 != weekday { return nil }
            return .days(days)
        default: return nil
        }
    }

    /// Skips one of some separators and returns it.
    private mutating func separator(_ bytes: Bytes, _ separators: StaticString) -> UInt8? {
        guard index < end else { return nil }
        for place in 0..<separators.utf8CodeUnitCount where unsafe separators.utf8Start[place] == bytes[index] {
            index += 1
            return unsafe separators.utf8Start[place]
        }
        return nil
    }

    /// Skips what is between date and time of day. Nothing is between them in fourteen digits.
    private mutating func skipSeparator(_ bytes: Bytes) -> Bool {
        if skip(UInt8(ascii: "T"), bytes) || skip(UInt8(ascii: "t"), bytes) || digitCount(bytes) == 6 { return true }
        _ = skip(UInt8(ascii: ","), bytes)
        return skipSpaces(bytes)
    }

    // MARK: Time of day

    private var hasColons = false

    /// Milliseconds since midnight.
    private mutating func timeOfDay(_ bytes: Bytes) -> Int64? {
        let count = digitCount(bytes)
        guard let hour = number(count <= 2 ? count : 2, bytes), count > 0 else { return nil }
        hasColons = skip(UInt8(ascii: ":"), bytes)
        guard hasColons || count == 4 || count == 6, let minute = number(2, bytes), minute <= 59 else { return nil }
        var milliseconds = minute * 60_000
        if hasColons ? skip(UInt8(ascii: ":"), bytes) : count == 6 {
            guard let second = number(2, bytes), second <= 60 else { return nil }
            milliseconds += second * 1000
            if skip(UInt8(ascii: "."), bytes) || skip(UInt8(ascii: ","), bytes) {
                if digitCount(bytes) == 0 { return nil }
                var scale: Int64 = 100
                while index < end, bytes[index].isDigit {
                    milliseconds += Int64(bytes[index] &- 48) * scale
                    scale /= 10
                    index += 1
                }
            }
        }
        guard let hour = twentyFourHour(hour, bytes) else { return nil }
        return milliseconds + hour * 3_600_000
    }

    /// The hour of a day of 24 hours. An AM or PM may follow, also after white space.
    private mutating func twentyFourHour(_ hour: Int64, _ bytes: Bytes) -> Int64? {
        var place = index
        while place < end, bytes[place].isSpace { place += 1 }
        let half = place + 2 <= end && bytes[place + 1] | 0x20 == UInt8(ascii: "m") ? bytes[place] | 0x20 : 0
        let isAfternoon = half == UInt8(ascii: "p")
        guard isAfternoon || half == UInt8(ascii: "a") else { return hour <= 23 ? hour : nil }
        guard (1...12).contains(hour) else { return nil }
        index = place + 2
        return hour % 12 + (isAfternoon ? 12 : 0)
    }

    /// The time that the rest is on a date.
    private mutating func time(on date: ScannedDate, _ bytes: Bytes) -> WrittenTime {
        guard var milliseconds = timeOfDay(bytes) else { return .unusable(.notATime) }
        _ = skipSpaces(bytes)
        let hasOffset = index < end
        if hasOffset {
            guard let offset = offset(bytes) else { return .unusable(.notATime) }
            milliseconds -= offset
        }
        switch date {
        case .days(let days):
            let time = Instant(milliseconds: days * 86_400_000 + milliseconds)
            guard time >= .earliest, time <= .latest else { return .unusable(.notATime) }
            return hasOffset ? .moment(time) : .local(time)
        case .numeric(let first, let second, let year):
            return .numeric(
                NumericDate(
                    first: UInt8(first), second: UInt8(second), year: Int16(year), milliseconds: milliseconds,
                    hasOffset: hasOffset))
        }
    }

    /// Milliseconds by which local time is ahead of UTC; nil if the rest is not an offset.
    private mutating func offset(_ bytes: Bytes) -> Int64? {
        var milliseconds: Int64 = 0
        if isNext(UInt8(ascii: "+"), bytes) || isNext(UInt8(ascii: "-"), bytes) {
            let isBehind = isNext(UInt8(ascii: "-"), bytes)
            index += 1
            guard let hours = number(2, bytes), hours <= 23 else { return nil }
            var minutes: Int64 = 0
            if skip(UInt8(ascii: ":"), bytes) || digitCount(bytes) > 0 {
                guard let number = number(2, bytes), number <= 59 else { return nil }
                minutes = number
            }
            milliseconds = (hours * 60 + minutes) * (isBehind ? -60_000 : 60_000)
        } else if !skip(UInt8(ascii: "Z"), bytes), !skip(UInt8(ascii: "z"), bytes) {
            guard word(of: Self.zones, bytes) != nil else { return nil }
        }
        if isNext(UInt8(ascii: "["), bytes), index + 1 < end, bytes[end - 1] == UInt8(ascii: "]") { index = end }
        return index == end ? milliseconds : nil
    }
}
