import Model
import Testing

@Suite("Times as people write them")
struct TimeReaderTests {
    /// Noon in Berlin on 5 October 2026, a Monday.
    private static let now = Instant("2026-10-05T10:00:00Z")!
    /// A zone two hours ahead of UTC.
    private static let zone = LocalTimeZone(name: "Test/East") { _ in 7200 }

    private func read(_ text: String) throws(Problem) -> (start: Instant, end: Instant) {
        try TimeReader(now: Self.now, zone: Self.zone).moments(text, field: "--since")
    }

    @Test(
        "A moment is its own start and end",
        arguments: [
            ("7d", "2026-09-28T10:00:00Z"), ("12h", "2026-10-04T22:00:00Z"), ("90s", "2026-10-05T09:58:30Z"),
            ("now", "2026-10-05T10:00:00Z"), ("0", "2026-10-05T10:00:00Z"), ("08:00", "2026-10-05T06:00:00Z"),
            ("23:59:59", "2026-10-05T21:59:59Z"), ("2026-10-05 08:00", "2026-10-05T06:00:00Z"),
            ("2026-10-05T08:00:30.250", "2026-10-05T06:00:30.250Z"), ("2026-10-05T08:00:00Z", "2026-10-05T08:00:00Z"),
            ("2026-10-05 08:00-05:00", "2026-10-05T13:00:00Z"), ("2026-10-05t08:00:00+0200", "2026-10-05T06:00:00Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
        ])
    func moments(_ text: String, _ moment: String) throws {
        let found = try read(text)
        #expect(found.start == Instant(moment) && found.end == found.start, "\(found)")
    }

    @Test(
        "A day and a month last from their first moment to the first moment after them",
        arguments: [
            ("today", "2026-10-04T22:00:00Z", "2026-10-05T22:00:00Z"),
            ("yesterday", "2026-10-03T22:00:00Z", "2026-10-04T22:00:00Z"),
            ("2026-02-28", "2026-02-27T22:00:00Z", "2026-02-28T22:00:00Z"),
            ("2024-02", "2024-01-31T22:00:00Z", "2024-02-29T22:00:00Z"),
            ("2026-12", "2026-11-30T22:00:00Z", "2026-12-31T22:00:00Z"),
            ("9999-12", "9999-11-30T22:00:00Z", "9999-12-31T22:00:00Z"),
            ("0000-01", "0000-01-01T00:00:00Z", "0000-01-31T22:00:00Z"),
        ])
    func spans(_ text: String, _ start: String, _ end: String) throws {
        let found = try read(text)
        #expect(found.start == Instant(start) && found.end == Instant(end), "\(found)")
    }

    @Test(
        "Other text is refused with what is wrong with it, and the forms that are accepted, in every language",
        arguments: [
            ("", Phrase.notATime), ("tomorrow", .notATime), ("7", .notATime), ("-7d", .notATime), ("7w", .notATime),
            ("2026", .notATime), ("2026-1", .notATime), ("2026-13", .noSuchDate), ("2026-00", .noSuchDate),
            ("2026-02-29", .noSuchDate), ("2026-02-29 08:00", .noSuchDate), ("2026-10-05 24:00", .noSuchTimeOfDay),
            ("25:00", .noSuchTimeOfDay), ("08:60", .noSuchTimeOfDay), ("08:00Z", .noSuchTimeOfDay),
            ("08:00-05:00", .noSuchTimeOfDay),
            ("2026-10-05 08:00 CEST", .notATime), ("2026-10-05T08:00:00+2", .notATime), ("05.10.2026", .notATime),
            (" today", .notATime),
            ("２０２６-10", .notATime),
        ])
    func refused(_ text: String, _ reason: Phrase) {
        let problem = #expect(throws: Problem.self) { try read(text) }
        guard case .validationFailed("--since", text, reason, .writtenTime)? = problem else {
            Issue.record("\(text): \(String(describing: problem))")
            return
        }
        for language in Language.allCases {
            let message = problem?.json(in: language)["message"]?.string ?? ""
            for part in ["--since", "7d", "yesterday", "2026-10-05 08:00", "RFC 3339"] {
                #expect(message.contains(part), "\(message)")
            }
        }
    }

    @Test(
        "A week is named by the year of its Thursday, as in ISO 8601",
        arguments: [
            ("2026-01-01", 2026, 1), ("2027-01-01", 2026, 53), ("2024-12-30", 2025, 1), ("2021-01-03", 2020, 53),
            ("2026-10-05", 2026, 41),
        ])
    func weeks(_ date: String, _ year: Int64, _ number: Int64) throws {
        let date = try #require(LocalDate(date))
        #expect(date.week.year == year && date.week.number == number)
        #expect(date.monday.weekday == 0 && date.monday <= date && date < date.monday + 7)
    }

    @Test("A month begins on its first day and ends where the next one begins")
    func months() throws {
        for day in stride(from: Int64(-800_000), through: 800_000, by: 17) {
            let date = LocalDate(day: day)
            guard date.description.first != "-" else { continue }
            #expect(date.firstOfMonth.description == "\(date.description.prefix(8))01")
            #expect(date.firstOfMonth <= date && date < date.firstOfNextMonth)
            #expect(date.firstOfNextMonth.firstOfMonth == date.firstOfNextMonth)
            #expect((date.firstOfNextMonth + -1).description.prefix(7) == date.description.prefix(7))
        }
    }
}
