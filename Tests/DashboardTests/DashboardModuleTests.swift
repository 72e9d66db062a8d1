import Foundation
import Model
import TestSupport
import Testing

/// Tests modules of the dashboard that do not use the page, in a browser.
@Suite(
    "Calculations of the dashboard", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct DashboardModuleTests {
    private let bench: DashboardBench

    init() throws {
        bench = try DashboardBench()
        try bench.open()
    }

    /// Runs a function body with the exports of a module as `m`, and returns its result.
    private func evaluate(_ module: String, _ body: String, _ arguments: JSONValue...) throws -> JSONValue {
        try bench.browser.evaluate(
            "const [values] = arguments; return import('/dashboard/\(module).js').then((m) => { \(body) })", .array(arguments))
    }

    @Test("Days begin when Foundation says so, in zones whose clock changes skip midnight, a day or half an hour")
    func days() throws {
        var random = SeededRandom(seed: 13)
        for name in [
            "Europe/Berlin", "America/Havana", "America/Sao_Paulo", "Pacific/Apia", "Australia/Lord_Howe", "Asia/Kathmandu",
            "America/St_Johns", "Africa/Casablanca", "UTC",
        ] {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = try #require(TimeZone(identifier: name))
            let start = try Date("2009-01-01T12:00:00Z", strategy: .iso8601)
            let moments = (0..<60).map { _ in start + Double(Int.random(in: 0..<500_000_000, using: &random)) }
            let answer = try evaluate(
                "days",
                """
                return values[0].map((at) => { const date = m.dateOf(at, values[1]); return [date, m.startOfDate(date, values[1]), \
                m.startOfDate(m.addDays(date, 1), values[1])]; })
                """, .array(moments.map { JSONValue($0.timeIntervalSince1970 * 1000) }), .string(name))
            for (moment, day) in zip(moments, answer.array ?? []) {
                let begins = calendar.startOfDay(for: moment)
                let found = day.array ?? []
                #expect(found[1].double == begins.timeIntervalSince1970 * 1000, "\(name) \(moment): \(day)")
                let ends = calendar.startOfDay(for: begins + 36 * 3600)
                // 30 December 2011 did not exist in Apia.
                if name != "Pacific/Apia" {
                    #expect(found[2].double == ends.timeIntervalSince1970 * 1000, "\(name) \(moment): \(day)")
                }
                let parts = calendar.dateComponents([.year, .month, .day], from: moment)
                let date = [parts.year, parts.month, parts.day].compactMap { $0 }.map { $0 < 10 ? "0\($0)" : "\($0)" }
                #expect(found[0].string == date.joined(separator: "-"))
            }
        }
    }

    @Test("A moment follows from its date and time of day, even around clock changes")
    func moments() throws {
        let answer = try evaluate(
            "days", "return values[0].map((text) => new Date(m.momentOf(text, 'Europe/Berlin')).toISOString())",
            ["2025-03-30T02:30", "2025-10-26T02:30", "2025-05-12T08:15:30"])
        // The first time is skipped, the second occurs twice.
        #expect(
            answer.array?.compactMap(\.string) == [
                "2025-03-30T01:30:00.000Z", "2025-10-26T00:30:00.000Z", "2025-05-12T06:15:30.000Z",
            ])
    }

    @Test("A list equals that of the service, regardless of what is added, removed and read in between")
    func list() throws {
        let answer = try evaluate(
            "newest-list",
            """
            let seed = 7;
            const random = (most) => { seed = (seed * 48271) % 2147483647; return seed % most; };
            const order = (a, b) => a - b;
            const part = (all, before) => { const items = all.filter((item) => before === null || item < before).slice(0, 5);
              return { items, earlier: all.some((item) => item < items.at(-1)) ? items.at(-1) : null }; };
            for (let round = 0; round < 300; round += 1) {
              let all = Array.from({ length: random(30) }, () => random(1000)).sort((a, b) => b - a).filter((item, i, list) => item !== list[i - 1]);
              let list = null;
              for (let step = 0; step < 20; step += 1) {
                // Entries older than the first part change only where the page has not loaded them yet.
                for (let count = random(9); count > 0; count -= 1) all = [(all[0] ?? 0) + 1 + random(5), ...all];
                if (all.length && random(3) === 0) all = all.filter((_, place) => place !== random(5));
                list = m.withFirstPart(list, part(all, null), order);
                if (list.earlier !== null && random(2)) list = m.withEarlierPart(list, part(all, list.earlier));
                const wanted = all.slice(0, list.items.length);
                if (JSON.stringify(list.items) !== JSON.stringify(wanted)) return [round, step, list.items, wanted];
              }
            }
            return null;
            """)
        #expect(answer == .null, "\(answer)")
    }

    @Test(
        "A track continues over gaps, doubts an outlier until the next position agrees, and is one line across the antimeridian")
    func track() throws {
        let answer = try evaluate(
            "track",
            """
            const at = (minutes) => new Date(Date.UTC(2025, 4, 1, 8, minutes)).toISOString();
            const fix = (minutes, latitude, longitude) => ({ timestamp: at(minutes), latitude, longitude, accuracy: 5 });
            const track = new m.Track();
            track.append([fix(0, 10, 179.99), fix(1, 10, -179.99), fix(2, 50, 0), fix(3, 10, -179.98), fix(4, 60, 20), fix(5, 60, 20.001)]);
            track.append([fix(65, 60, 20.002)]);
            const start = track.begins;
            const gap = track.advance(start + 5 * 60000, 10);
            return [Array.from(track.marks.slice(0, track.count)), Math.abs(track.longitudes[1] - track.longitudes[0]) < 1,
              gap.skipped, (gap.moment - start) / 60000, track.indexAt(start + 90000), (track.advance(start, 30).moment - start) / 1000,
              Math.round(track.distance(4, 5))];
            """)
        let outlier = 4.0
        #expect(answer.array?[0].array?.compactMap(\.double) == [0, 0, outlier, 0, outlier, 0, 0])
        #expect(answer.array?[1] == true)
        #expect(answer.array?[2].double == 3600 && answer.array?[3].double == 65)
        #expect(answer.array?[4].double == 1 && answer.array?[5].double == 30 && answer.array?[6].double == 56)
    }
}
