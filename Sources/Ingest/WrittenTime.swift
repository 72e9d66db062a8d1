import Model

/// A time as it is written in an input. `TimeResolver` later decides what it leaves open.
enum WrittenTime: Hashable {
    /// A moment: a number, or a time with its offset from UTC.
    case moment(Instant)
    /// A time without an offset from UTC, expressed as if it were UTC.
    case local(Instant)
    /// A time whose date has the day and the month as numbers in either order.
    case numeric(NumericDate)
    /// A text or number that is not the time of a position.
    case unusable(TimeFlaw)

    /// The first day of GPS, 1980-01-06. No position is older.
    static let earliest = Instant(milliseconds: 315_964_800_000)

    /// Numbers from here on are milliseconds (1973), smaller ones seconds (until the year 5138).
    private static let leastMilliseconds = 1e11
    /// Numbers from here on are microseconds (1973), smaller ones milliseconds (until the year 5138).
    private static let leastMicroseconds = 1e14
    /// Numbers from here on, and below `leastMicroseconds`, are a date and a time of day in digits if these are possible. As milliseconds
    /// they would be after the year 2597.
    private static let leastDateDigits = 19_800_101_000_000.0

    /// Reads a text: a number, or a date with a time of day in one of the forms of `TimeScanner`.
    @inline(__always)
    init(_ bytes: Bytes, _ range: Range<Int>) {
        if range.count >= 17, bytes[range.upperBound - 1] | 0x20 == UInt8(ascii: "z"),
            bytes[range.lowerBound + 4] == UInt8(ascii: "-"),
            let time = unsafe bytes.extracting(range).withUnsafeBufferPointer({ unsafe Instant(rfc3339: $0) })
        {
            self = .moment(time)
        } else if let number = DecimalNumber.parse(bytes, range) {
            self.init(unix: number)
        } else {
            self = TimeScanner.scan(bytes, range)
        }
    }

    /// Reads a text.
    init(_ text: String) { self = text.withBytes { WrittenTime($0, 0..<$0.count) } }

    /// Reads a time whose date may be in a separate field, such as `2026-05-01` and `10:00:00`.
    init(date: Range<Int>, time: Range<Int>, in bytes: Bytes) {
        let both = date.isEmpty ? .unusable(.notATime) : TimeScanner.scan(date: date, time: time, in: bytes)
        guard case .unusable = both else {
            self = both
            return
        }
        let alone = WrittenTime(bytes, time)
        if case .unusable = alone, !date.isEmpty { self = both } else { self = alone }
    }

    /// Reads a number: Unix seconds, milliseconds or microseconds, depending on its size.
    @inline(__always)
    init(unix number: Double) {
        if number >= Self.earliest.seconds, number < Self.leastMilliseconds {
            let isNoTime = number == 2_147_483_647 || number == 4_294_967_295
            self = isNoTime ? .unusable(.noTime(number)) : .moment(Instant(milliseconds: Int64((number * 1000).rounded())))
        } else if number >= Double(Self.earliest.milliseconds), number < Self.leastDateDigits {
            self = .moment(Instant(milliseconds: Int64(number.rounded())))
        } else {
            self = Self.unusual(number)
        }
    }

    /// Reads a number that is not an ordinary Unix time.
    @inline(never)
    private static func unusual(_ number: Double) -> WrittenTime {
        if number >= leastDateDigits, number < leastMicroseconds, let time = TimeScanner.scan(digits: number) { return time }
        let milliseconds =
            if number < leastMilliseconds {
                number * 1000
            } else {
                number < leastMicroseconds ? number : number / 1000
            }
        let range = Double(Instant.earliest.milliseconds)...Double(Instant.latest.milliseconds)
        guard range.contains(milliseconds) else { return .unusable(.notATime) }
        let moment = Instant(milliseconds: Int64(milliseconds.rounded()))
        return moment < earliest ? .unusable(TimeFlaw(number, for: moment)) : .moment(moment)
    }

    /// The moment, if the time alone defines it.
    var exactMoment: Instant? {
        if case .moment(let moment) = self, moment >= Self.earliest { moment } else { nil }
    }

    /// The moment, as if a time without an offset from UTC were of UTC; nil if the time cannot be used.
    var localMoment: Instant? {
        switch self {
        case .moment(let moment), .local(let moment): moment
        case .numeric, .unusable: nil
        }
    }
}

/// A date with the day and the month as numbers in either order, such as 06/01/2026, and a time of day.
struct NumericDate: Hashable {
    var first: UInt8
    var second: UInt8
    var year: Int16
    /// Milliseconds since midnight in UTC, or in local time if there is no offset.
    var milliseconds: Int64
    /// Whether the time has an offset from UTC.
    var hasOffset: Bool

    /// The time with its date in an order; nil if the date does not exist.
    func time(_ order: DateOrder) -> WrittenTime? {
        let (day, month) = order == .dayFirst ? (first, second) : (second, first)
        guard let days = TimeScanner.days(year: Int64(year), month: Int64(month), day: Int64(day)) else { return nil }
        let time = Instant(milliseconds: days * 86_400_000 + milliseconds)
        return hasOffset ? .moment(time) : .local(time)
    }
}

/// Why a time cannot be used.
enum TimeFlaw: Hashable {
    /// It does not have the form of a time.
    case notATime
    /// A number that devices write when they have no time.
    case noTime(Double)
    /// A date without a time of day.
    case dateOnly
    /// A time of day without a date.
    case timeOfDayOnly
    /// A year.
    case year
    /// A number of days since 1899-12-30, as spreadsheets store times. It stands for this local time.
    case dayNumber(Instant)
    /// A moment before `WrittenTime.earliest`.
    case tooOld(Instant)
    /// A moment ahead of the clock by this many seconds.
    case ahead(Instant, Double)
    /// A date with the day and the month as numbers, whose order is not known.
    case dateOrder

    /// The flaw of a number that, as a Unix time, stands for a moment before `WrittenTime.earliest`.
    init(_ number: Double, for moment: Instant) {
        let isWhole = number == number.rounded()
        let digits = Int64(number)
        if number == 0 || number == -1 {
            self = .noTime(number)
        } else if isWhole, digits >= 19_000_101,
            TimeScanner.days(year: digits / 10_000, month: digits / 100 % 100, day: digits % 100) != nil
        {
            self = .dateOnly
        } else if isWhole, (1900...2200).contains(digits) {
            self = .year
        } else if (29_226..<73_051).contains(number) {
            // From 1980-01-06 to the end of 2099. The time is rounded to seconds.
            self = .dayNumber(Instant(milliseconds: Int64(((number - 25_569) * 86_400).rounded()) * 1000))
        } else if isWhole, (0..<240_000).contains(digits), digits / 100 % 100 < 60, digits % 100 < 60 {
            self = .timeOfDayOnly
        } else {
            self = .tooOld(moment)
        }
    }

    /// The kind of refusal.
    var kind: Refusal.Kind {
        switch self {
        case .notATime, .dateOnly, .timeOfDayOnly, .year, .dayNumber: .unreadable
        case .noTime, .dateOrder: .unusable
        case .tooOld: .outOfRange
        case .ahead: .aheadOfClock
        }
    }

    /// The reason, and what was expected.
    var reason: Phrase {
        switch self {
        case .notATime: .expecting(.notATime, .timeOfFix)
        case .noTime(let number):
            .expecting(Phrase("it is not a time: devices write \(JSONValue(number).description) when they have none"), .timeOfFix)
        case .dateOnly: .expecting(Phrase("it looks like a date without a time of day"), .timeOfFix)
        case .timeOfDayOnly: .expecting(Phrase("it looks like a time of day without a date"), .timeOfFix)
        case .year: .expecting(Phrase("it looks like a year"), .timeOfFix)
        case .dayNumber(let local):
            .expecting(
                .dayNumber(String(local.description.prefix(19))),
                Phrase("a date with a time of day; in the spreadsheet, format the column as yyyy-mm-dd hh:mm:ss"))
        case .tooOld(let moment):
            .expecting(
                Phrase("it means \(moment.description)"),
                Phrase("the time of the position, \(WrittenTime.earliest.description) or later"))
        case .ahead(let moment, let seconds):
            .expecting(.ahead(moment.description, seconds), Phrase("the time of the position, in UTC"))
        case .dateOrder:
            .expecting(
                Phrase("it is not clear which number is the day and which is the month"),
                Phrase(
                    "a time such as 2026-05-01T10:00:00Z, or the order in --date-order dmy or mdy (HTTP: dateOrder=dmy or mdy)"))
        }
    }
}
