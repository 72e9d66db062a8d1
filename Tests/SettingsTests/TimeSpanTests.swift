import Model
import Settings
import Testing

@Suite("A duration")
struct TimeSpanTests {
    @Test(
        "Is a whole number with a unit, or 0",
        arguments: [
            ("90d", 7_776_000), ("12h", 43_200), ("30m", 1800), ("45s", 45), ("0", 0), ("0s", 0), ("0d", 0), ("90s", 90),
            ("007m", 420), ("36525d", 3_155_760_000),
        ] as [(String, Double)])
    func read(_ text: String, _ seconds: Double) {
        #expect(TimeSpan.seconds(text) == seconds)
    }

    @Test(
        "Is nothing else",
        arguments: [
            "", "d", "90", "1.5h", "-1d", "+1d", "1 d", " 1d", "1D", "1w", "1d12h", "٣d", "36526d", "99999999999s", "1e3s", "00",
        ])
    func refused(_ text: String) {
        #expect(TimeSpan.seconds(text) == nil)
        #expect(throws: Problem.self) { try TimeSpan.seconds(text, field: "x") }
    }

    @Test("Is written in the largest unit that fits", arguments: ["90d", "12h", "30m", "45s", "0", "36h", "90m", "86401s"])
    func written(_ text: String) throws {
        #expect(TimeSpan.text(try #require(TimeSpan.seconds(text))) == text)
    }
}
