/// Reads times as people write them in options and queries: `7d` (ago), `today`, `2026-10`, `2026-10-05`, `08:00`, `2026-10-05 08:00`, or
/// RFC 3339. A time without an offset from UTC is local.
package struct TimeReader: Sendable {
    /// The moment that `7d`, `today` and `08:00` start from.
    package let now: Instant
    /// The zone of times without an offset.
    package let zone: LocalTimeZone

    /// The forms in short, for the descriptions of query fields.
    package static let forms = "RFC 3339, or as 7d, today, 2026-10, 2026-10-05, 08:00 or 2026-10-05 08:00"

    package init(now: Instant, zone: LocalTimeZone) {
        self.now = now
        self.zone = zone
    }

    /// What a text names: a day or a month from its first moment to the first moment after it, or a single moment as both.
    ///
    /// A local time that occurs twice, because clocks are set back, lasts from the first occurrence to the second one. A local time that
    /// does not exist, because clocks are set forward, is the moment of that change.
    ///
    /// - Throws: `Problem.validationFailed`.
    package func moments(_ text: String, field: String) throws(Problem) -> (start: Instant, end: Instant) {
        switch text {
        case "now": return (now, now)
        case "today": return day(today)
        case "yesterday": return day(today + -1)
        default: break
        }
        if let ago = TimeSpan(text) {
            let moment = now + -ago.seconds
            return (moment, moment)
        }
        let isTimeOfDay = Self.hasForm(text, "##:##", isWhole: false)
        let full = isTimeOfDay ? "\(today) \(text)" : text
        let hasOffset = full.dropFirst(11).contains { "Zz+-".contains($0) }
        // A time of day with an offset could belong to another day there than here.
        if hasOffset, !isTimeOfDay, let moment = Instant(text) { return (moment, moment) }
        if Self.hasForm(text, "####-##"), let first = LocalDate("\(text)-01") {
            return (start(of: first), start(of: first.firstOfNextMonth))
        }
        if Self.hasForm(text, "####-##-##"), let date = LocalDate(text) { return day(date) }
        if !hasOffset, let local = Instant(full) {
            let (first, last) = zone.moments(atLocal: local)
            return (first, last)
        }
        throw .validationFailed(field: field, value: text, reason: flaw(in: text), expected: .writtenTime)
    }

    private var today: LocalDate { zone.date(of: now) }

    private func day(_ date: LocalDate) -> (start: Instant, end: Instant) { (start(of: date), start(of: date + 1)) }

    /// The first moment of a day, not after the last moment that RFC 3339 can write.
    private func start(of date: LocalDate) -> Instant { min(max(zone.start(of: date), .earliest), .latest) }

    /// Why a text is not a time: it has the form of a date or a time of day that does not exist, or it does not have the form of
    /// a time.
    private func flaw(in text: String) -> Phrase {
        if Self.hasForm(text, "##:##", isWhole: false) { return .noSuchTimeOfDay }
        if Self.hasForm(text, "####-##") || Self.hasForm(text, "####-##-##") { return .noSuchDate }
        guard Self.hasForm(text, "####-##-##?##:##", isWhole: false) else { return .notATime }
        if LocalDate(text.prefix(10)) == nil { return .noSuchDate }
        return Instant("\(text.prefix(10))T\(text.dropFirst(11).prefix(5))") == nil ? .noSuchTimeOfDay : .notATime
    }

    /// Whether a text has a form, in which `#` stands for a digit and `?` for any character.
    ///
    /// - Parameter isWhole: Whether nothing may follow.
    private static func hasForm(_ text: String, _ form: String, isWhole: Bool = true) -> Bool {
        let (bytes, pattern) = (Array(text.utf8), Array(form.utf8))
        guard isWhole ? bytes.count == pattern.count : bytes.count >= pattern.count else { return false }
        return zip(bytes, pattern).allSatisfy { byte, wanted in
            switch wanted {
            case UInt8(ascii: "#"): byte &- 48 <= 9
            case UInt8(ascii: "?"): true
            default: byte == wanted
            }
        }
    }
}
