import Foundation
import Model
import TestSupport
import Testing

@Suite("Instants")
struct InstantTests {
    @Test(
        "A sum stays within the range of instants",
        arguments: [1e300, -1e300, 9.3e15, -9.3e15, .infinity, -.infinity] as [Double])
    func saturates(seconds: Double) {
        #expect(Instant(milliseconds: 0) + seconds == (seconds > 0 ? .latest : .earliest))
    }

    @Test(
        "Common notations of times are parsed",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-05-01T10:00:00Z", 1_777_629_600_000),
            ("2026-05-01t10:00:00.5z", 1_777_629_600_500),
            ("2026-05-01 12:00:00+02:00", 1_777_629_600_000), ("2026-05-01T08:30:00-0130", 1_777_629_600_000),
            ("2026-05-01T10:00Z", 1_777_629_600_000), ("2026-05-01T10:00:00", 1_777_629_600_000),
            ("2026-05-01T10:00:00,123456789Z", 1_777_629_600_123), ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("1901-12-13T20:45:52.207Z", -2_147_483_647_793), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
        ] as [(String, Int64)])
    func read(_ text: String, _ milliseconds: Int64) {
        #expect(Instant(text)?.milliseconds == milliseconds)
    }

    @Test(
        "Other text gives nil",
        arguments: [
            "", "2026", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-05-01T24:00:00Z",
            "2026-05-01T10:60:00Z", "2026-05-01T10:00:00.Z", "2026-05-01T10:00:00Zulu", "2026-05-01T10:00:00+2",
            "26-05-01T10:00:00Z",
            "2026-00-01T00:00:00Z", "2026-05-00T00:00:00Z", "yesterday",
        ])
    func refused(_ text: String) {
        #expect(Instant(text) == nil)
    }

    @Test("An instant is written as Foundation writes it, and read back", arguments: [1, 2] as [UInt64])
    func foundation(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for _ in 0..<2000 {
            let instant = Instant(milliseconds: .random(in: -60_000_000_000_000...250_000_000_000_000, using: &random))
            #expect(Instant(instant.description) == instant)
            // Foundation's calendar is Julian before 1582; this one is always Gregorian, as RFC 3339 requires.
            if instant.milliseconds > -12_200_000_000_000 {
                let date = Date(timeIntervalSince1970: Double(instant.milliseconds / 1000))
                let whole = Instant(milliseconds: instant.milliseconds / 1000 * 1000)
                #expect(whole.description == date.formatted(style), "seed \(seed)")
            }
        }
    }

    @Test("The range of instants covers the years of RFC 3339")
    func limits() {
        #expect(Instant.earliest.description == "0000-01-01T00:00:00.000Z")
        #expect(Instant.latest.description == "9999-12-31T23:59:59.999Z")
        #expect(Instant(seconds: 1e18) == nil && Instant(seconds: .nan) == nil)
        #expect(Instant(seconds: 1.0005)?.milliseconds == 1001)
    }
}
