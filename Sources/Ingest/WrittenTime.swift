import Model

/// A time as it is written in an input.
enum WrittenTime: Hashable {
    /// A moment.
    case moment(Instant)
    /// A text or number that is not the time of a position.
    case unusable(TimeFlaw)

    /// Unix times from this number (2³¹ − 1) on are in milliseconds, smaller ones in seconds. Trackers and Traccar Client use the same
    /// rule.
    static let leastMilliseconds = 2_147_483_647.0

    /// Reads RFC 3339 and similar forms (see `Instant.init(rfc3339:)`), or Unix seconds or milliseconds.
    @inline(__always)
    init(_ bytes: Bytes, _ range: Range<Int>) {
        if range.count > 4, bytes[range.lowerBound + 4] == UInt8(ascii: "-"), bytes[range.lowerBound + 3].isDigit {
            let time = unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe Instant(rfc3339: $0) }
            if let time, time >= .earliest, time <= .latest { self = .moment(time) } else { self = .unusable(.notATime) }
        } else if let number = DecimalNumber.parse(bytes, range) {
            self.init(unix: number)
        } else {
            self = .unusable(.notATime)
        }
    }

    /// Reads a text.
    init(_ text: String) { self = text.withBytes { WrittenTime($0, 0..<$0.count) } }

    /// Reads a time whose date is in a separate field, such as `2026-05-01` or `2026/05/01` and `10:00:00`.
    init(date: Range<Int>, time: Range<Int>, in bytes: Bytes) {
        var whole: [UInt8] = []
        for index in date { whole.append(bytes[index] == UInt8(ascii: "/") ? UInt8(ascii: "-") : bytes[index]) }
        whole.append(UInt8(ascii: "T"))
        bytes.append(time, to: &whole)
        self.init(whole.span, 0..<whole.count)
    }

    /// A moment from Unix seconds or milliseconds.
    @inline(__always)
    init(unix number: Double) {
        let time: Instant? =
            if number < Self.leastMilliseconds {
                Instant(seconds: number)
            } else if number <= Double(Instant.latest.milliseconds) {
                Instant(milliseconds: Int64(number.rounded()))
            } else {
                nil
            }
        self = time.map { .moment($0) } ?? .unusable(.notATime)
    }

    /// The moment that the time stands for.
    @inline(__always)
    func moment() throws(ReadingFlaw) -> Instant {
        switch self {
        case .moment(let moment): return moment
        case .unusable(let flaw): throw .time(flaw)
        }
    }
}

/// Why a time cannot be used.
enum TimeFlaw: Hashable {
    /// It has no form of a time.
    case notATime

    /// The kind of refusal.
    var kind: Refusal.Kind { .unreadable }

    /// The reason, and what was expected.
    var reason: Reason { .expecting(.notATime, FixField.time.expected) }
}
