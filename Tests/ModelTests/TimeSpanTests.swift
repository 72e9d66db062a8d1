import Model
import TestSupport
import Testing

@Suite("Durations")
struct TimeSpanTests {
    @Test(
        "A duration is a whole number with a unit, seconds with a fraction, or 0",
        arguments: [
            ("90d", 7_776_000), ("12h", 43_200), ("30m", 1800), ("45s", 45), ("0", 0), ("0s", 0), ("0d", 0), ("90s", 90),
            ("007m", 420), ("36525d", 3_155_760_000), ("0.5s", 0.5), ("2.25s", 2.25),
        ] as [(String, Double)])
    func read(_ text: String, _ seconds: Double) {
        #expect(TimeSpan(text)?.seconds == seconds)
        #expect(TimeSpan(text, acceptsBareSeconds: true)?.seconds == seconds)
    }

    @Test(
        "Other text is refused",
        arguments: [
            "", "d", "90", "1.5h", "-1d", "+1d", "1 d", " 1d", "1D", "1w", "1d12h", "٣d", "36526d", "99999999999s", "1e3s", "00",
            ".5s", "5.s", "1.2.3s", "inf", "nan", "-1", "s", "1,5s",
        ])
    func refused(_ text: String) {
        #expect(TimeSpan(text) == nil)
        #expect(throws: Problem.self) { try TimeSpan.seconds(text, field: "x") }
    }

    @Test(
        "A number of seconds without a unit is accepted where that is allowed",
        arguments: [("90", 90), ("0.5", 0.5), ("1e3", 1000), ("00", 0)] as [(String, Double)])
    func bare(_ text: String, _ seconds: Double) throws {
        #expect(try TimeSpan.seconds(text, field: "x", acceptsBareSeconds: true) == seconds)
        #expect(TimeSpan(text) == nil)
        for wrong in ["-1", "inf", "nan", "1e300", "a"] { #expect(TimeSpan(wrong, acceptsBareSeconds: true) == nil) }
    }

    @Test(
        "A duration is written in the largest fitting unit, and read back unchanged",
        arguments: ["90d", "12h", "30m", "45s", "0", "36h", "90m", "86401s", "0.5s", "1.25s", "0.001s"])
    func written(_ text: String) throws {
        let span = try #require(TimeSpan(text))
        #expect(span.description == text)
        #expect(TimeSpan(span.description) == span)
    }

    @Test(
        "An invalid duration is refused with its bounds and examples",
        arguments: [
            ("soon", 0...TimeSpan.longest, nil, "it is not a duration", "a duration, for example 30s, 10m, 2h or 90d"),
            ("59s", 60...31_622_400, nil, "it is out of range", "a duration from 1m to 366d, for example 30s, 10m, 2h or 90d"),
            ("36526d", 0...TimeSpan.longest, nil, "it is out of range", "a duration, for example 30s, 10m, 2h or 90d"),
            (
                "0", TimeSpan.moreThanNone...86_400, nil, "it is out of range",
                "a duration of more than 0 and at most 1d, for example 30s, 10m, 2h or 90d"
            ),
            (
                "0", TimeSpan.moreThanNone...TimeSpan.longest, nil, "it is out of range",
                "a duration of more than 0, for example 30s, 10m, 2h or 90d"
            ),
            ("2d", 0...86_400, nil, "it is out of range", "a duration of at most 1d, for example 30s, 10m, 2h or 90d"),
            (
                "5s", 10...TimeSpan.longest, .zeroForNever, "it is out of range",
                "a duration of at least 10s, for example 30s, 10m, 2h or 90d; 0 for never"
            ),
        ] as [(String, ClosedRange<Double>, Phrase?, String, String)])
    func refusal(
        _ text: String, _ range: ClosedRange<Double>, _ other: Phrase?, _ reason: String, _ expected: String
    ) throws {
        let problem = try #require(throws: Problem.self) { try TimeSpan.seconds(text, field: "x", in: range, or: other) }
        guard case .validationFailed("x", text, let why, let wanted) = problem else { throw problem }
        #expect(why.description == reason && wanted.description == expected)
    }

    @Test("In JSON a duration is a number of seconds, with the same bounds")
    func inJSON() {
        #expect(TimeSpan.flaw(in: 60, field: "x", range: 60...120) == nil)
        #expect(
            TimeSpan.flaw(in: 0.5, field: "x", range: 60...31_622_400)
                == .validationFailed(
                    field: "x", value: "0.5", reason: .outOfRange, expected: .seconds(60...31_622_400)))
        #expect(Phrase.seconds(60...31_622_400).description == "a number of seconds from 1m to 366d")
    }

    @Test(
        "Sentences show a duration with at most two units",
        arguments: [
            (0, "0 s", "0 sn"), (45.4, "45 s", "45 sn"), (59.6, "1 min", "1 dk"), (90, "1 min 30 s", "1 dk 30 sn"),
            (754, "12 min", "12 dk"), (3600, "1 h", "1 sa"), (11_100, "3 h 5 min", "3 sa 5 dk"),
            (187_200, "2 d 4 h", "2 gün 4 sa"), (86_400, "1 d", "1 gün"), (-1, "0 s", "0 sn"),
        ] as [(Double, String, String)])
    func durations(_ seconds: Double, _ english: String, _ turkish: String) {
        #expect(Language.english.duration(seconds) == english)
        #expect(Language.turkish.duration(seconds) == turkish)
    }
}
