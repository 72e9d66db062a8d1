import Foundation
import Model
import TestSupport
import Testing

@Suite(
    "Events on the dashboard", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct EventsTests {
    /// Creates Anna's phone and two geofences.
    private static func place(_ picket: Program) throws {
        try picket.addPlaces(home: "52.5,13.4", school: "52.51,13.4")
        try picket.run("device", "add", "ben", "--name", "Ben")
    }

    private static func feed(_ picket: Program, _ csv: String) throws { try picket.feed(csv, "--policy", "exact") }

    private static func nights(_ picket: Program) throws {
        try place(picket)
        try feed(picket, PresenceStory.nights.csv(device: "anna"))
    }

    /// The types of the events on the page, from the top.
    private func types(_ bench: DashboardBench) throws -> [String] {
        let found = try bench.browser.evaluate("return [...document.querySelectorAll('.event')].map(e => e.dataset.type)")
        return found.array?.compactMap(\.string) ?? []
    }

    @Test("Events form a timeline by days of the person's time zone, newest first, with names as text")
    func timeline() throws {
        let bench = try DashboardBench.inBerlin(Self.nights)
        try bench.open("#/events?since=2025-03-28&until=2025-03-31&type=enter,exit")
        try bench.wait("#timeline .event", contains: "Anna <b>7</b> left Home")
        try bench.wait("#timeline .event", contains: "Anna <b>7</b> entered \(Program.scriptName)")
        #expect(try types(bench) == ["exit", "enter", "exit", "enter", "exit", "enter", "exit", "enter"])
        let days = try bench.browser.evaluate("return [...document.querySelectorAll('.day time')].map(e => e.dateTime)")
        #expect(days.array?.compactMap(\.string) == ["2025-03-31", "2025-03-30", "2025-03-29", "2025-03-28"])
        // 23:00 UTC is after midnight in Berlin, and 01:00 in summer time.
        try bench.wait("#timeline section:first-child .event", contains: "01:00:00")
        #expect(try bench.browser.evaluate("return document.querySelector('#timeline img')") == .null)
        try bench.expectNoErrors()
    }

    @Test("Events are filtered by the address, by removable chips and by typing a name, and Back undoes it")
    func filters() throws {
        let bench = try DashboardBench.inBerlin(Self.nights)
        try bench.open("#/events/geofence/school")
        try bench.wait("#chips [data-key=geofence]", contains: Program.scriptName)
        try bench.wait("#timeline .event[data-type=enter]")
        #expect(try types(bench).count == 4)
        try bench.browser.find("#chips [data-key=geofence]").click()
        try bench.waitForNone("#chips")
        try bench.wait("#timeline .event", contains: "Home")
        try bench.browser.find("#events-filter summary").click()
        try bench.browser.find("#filter-geofence").type("hom")
        try bench.wait("#filter-geofence-list [data-id=home]")
        try bench.browser.press(.enter)
        try bench.wait("#chips [data-key=geofence]", contains: "Home")
        #expect(try bench.browser.url.hasSuffix("#/events?geofence=home"))
        try bench.browser.find("#filter-type-exit").click()
        try bench.wait("#chips [data-key=exit]")
        // No events are shown while they are loaded.
        try bench.waitForNone(".event[data-type=enter]")
        try bench.wait(".event[data-type=exit]")
        #expect(Set(try types(bench)) == ["exit"])
        try bench.browser.goBack()
        try bench.waitForNone("#chips [data-key=exit]")
        try bench.wait(".event[data-type=enter]")
        #expect(try bench.browser.find("#filter-type-exit").property("checked").bool == false)
        try bench.expectNoErrors()
    }

    @Test("New events appear at the top, or as a mark while the person reads further down")
    func live() throws {
        let bench = try DashboardBench.inBerlin { picket in
            try Self.place(picket)
            let lines = (0..<40).map { "anna,2025-05-01T10:\($0 + 10):00Z,\($0 % 2 == 0 ? "52.5" : "52.55"),13.4" }
            try Self.feed(picket, "device,timestamp,latitude,longitude\n" + lines.joined(separator: "\n"))
        }
        let header = "device,timestamp,latitude,longitude\n"
        try bench.open("#/events?type=enter,exit")
        try bench.wait("#timeline .event", contains: "Anna")
        try Self.feed(bench.picket, header + "ben,2025-05-02T10:00:00Z,52.5,13.4\n")
        try bench.wait("#timeline .event:first-child", contains: "Ben entered Home")
        try bench.waitForNone("#new-events")
        try bench.browser.evaluate("scrollTo(0, 1500)")
        try Self.feed(bench.picket, header + "ben,2025-05-02T11:00:00Z,52.55,13.4\n")
        try bench.wait("#new-events", contains: "1 new event")
        #expect(try !bench.browser.find("#timeline").text.contains("Ben left"))
        try bench.browser.find("#new-events").click()
        try bench.wait("#timeline .event:first-child", contains: "Ben left Home")
        #expect(try bench.browser.evaluate("return scrollY").double == 0)
        try bench.expectNoErrors()
    }

    @Test("Earlier events are shown in parts on request")
    func earlier() throws {
        let bench = try DashboardBench.inBerlin { picket in
            try Self.place(picket)
            let start = try Date("2025-05-01T10:00:00Z", strategy: .iso8601)
            let lines = (0..<120).map {
                "anna,\((start + Double($0) * 60).ISO8601Format()),\($0 % 2 == 0 ? "52.5" : "52.55"),13.4"
            }
            try Self.feed(picket, "device,timestamp,latitude,longitude\n" + lines.joined(separator: "\n"))
        }
        try bench.open("#/events?type=enter,exit")
        try bench.wait("#earlier")
        #expect(try types(bench).count == 100)
        try bench.browser.find("#earlier").click()
        try bench.waitForNone("#earlier")
        #expect(try types(bench).count == 120)
        try bench.expectNoErrors()
    }

    @Test("Corrections by late positions are shown on request")
    func corrected() throws {
        let bench = try DashboardBench.inBerlin { picket in
            try Self.place(picket)
            let header = "device,timestamp,latitude,longitude\n"
            try Self.feed(picket, header + "anna,2025-05-01T10:00:00Z,52.5,13.4\nanna,2025-05-01T11:00:00Z,52.55,13.4\n")
            try Self.feed(picket, header + "anna,2025-05-01T10:30:00Z,52.55,13.4\n")
        }
        try bench.open("#/events?type=exit")
        try bench.wait("#timeline .event", contains: "12:30:00")
        try bench.waitForNone(".event.corrected")
        try bench.open("#/events?type=exit&all=1")
        try bench.wait(".event.corrected s", contains: "Anna <b>7</b> left Home")
        try bench.wait(".event.corrected", contains: "Retracted on")
        try bench.wait(".event:not(.corrected)", contains: "corrected by a replay")
        try bench.expectNoErrors()
    }

    @Test("Events and visits are shown as tables, and downloaded in full as CSV and GeoJSON")
    func tables() throws {
        let bench = try DashboardBench.inBerlin { picket in
            try Self.nights(picket)
            try Self.feed(picket, "device,timestamp,latitude,longitude\nben,2025-04-01T10:00:00Z,52.5,13.4\n")
        }
        for (route, table, rows) in [
            ("#/events?show=table&device=anna&type=enter,exit", "#event-table", 12),
            ("#/events?show=visits&device=anna", "#visit-table", 6),
        ] {
            try bench.open(route)
            try bench.wait("\(table) tbody tr")
            #expect(try bench.browser.all("\(table) tbody tr").count == rows)
            for (format, type) in [("csv", "text/csv; charset=utf-8"), ("geojson", "application/geo+json")] {
                let path = try bench.browser.evaluate(
                    "return document.querySelector(arguments[0]).getAttribute('href')", .string("#download-\(format)"))
                let answer = try #require(try RawConnection(port: bench.port).send("GET", path.string ?? ""))
                #expect(answer.status == 200 && answer["Content-Type"] == type, "\(answer)")
                #expect(answer["Content-Disposition"]?.contains("attachment") == true)
                let count =
                    format == "csv"
                    ? answer.text.split(whereSeparator: \.isNewline).count - 1
                    : try JSONParser.parse(answer.text)["features"]?.array?.count
                #expect(count == rows, "\(path)")
            }
        }
        try bench.open("#/events?show=visits&device=ben")
        try bench.wait("#visit-table tr[data-open]", contains: "still there")
        try bench.expectNoErrors()
    }

    @Test(
        "The chart adds up the seen time in each geofence and day, over midnight, clock changes and silence",
        arguments: [("2025-03-28", "2025-03-31"), ("2025-10-25", "2025-10-27")])
    func chart(first: String, last: String) throws {
        let bench = try DashboardBench.inBerlin(Self.nights)
        try bench.open("#/events?show=chart&device=anna&since=\(first)&until=\(last)")
        try bench.wait("#chart .bars rect")
        let cells = try bench.browser.evaluate(
            """
            return [...document.querySelectorAll('#presence-table td[data-seconds]')]
                .map(e => [e.closest('tr').dataset.key, e.dataset.key, Number(e.dataset.seconds)])
            """)
        var total = 0
        for cell in cells.array ?? [] {
            let (day, place) = (cell.array?[0].string ?? "", cell.array?[1].string ?? "")
            let expected = try PresenceStory.nights.seconds(in: place, on: day, zone: "Europe/Berlin")
            #expect(cell.array?[2].double == Double(expected), "\(place) on \(day)")
            total += expected
        }
        #expect(total > 10 * 3600)
        // Each part of a bar belongs to one of the cells.
        let bars = try bench.browser.evaluate("return document.querySelectorAll('#chart .bars rect').length").double
        let filled = (cells.array ?? []).count { ($0.array?[2].double ?? 0) > 0 }
        #expect(bars == Double(filled))
        try bench.expectNoErrors()
    }

    @Test(
        "No accessibility rule is broken, in light and dark, in English and Turkish, on a desktop and a phone",
        .enabled("axe-core is not there; tools/axe-core fetches it") { AxeCore.isInstalled })
    func accessibility() throws {
        let bench = try DashboardBench.inBerlin(Self.nights)
        for (scheme, screen, locale) in [(Browser.ColorScheme.light, BrowserScreen.desktop, "en-GB"), (.dark, .phone, "tr-TR")] {
            try bench.browser.emulate(locale: locale)
            try bench.browser.emulate(colorScheme: scheme, reducedMotion: true)
            try bench.browser.emulate(screen)
            for (route, selector) in [
                ("#/events?device=anna&type=enter,exit&all=1", "#timeline .event"), ("#/events?show=table", "#event-table"),
                ("#/events?show=visits", "#visit-table"), ("#/events?show=chart", "#chart .bars"),
                ("#/events/track/anna?since=2025-03-29", "#track-now time"),
                ("#/events/why/anna/home?at=2025-03-29T06:00:00Z", "#why-steps tbody tr"), ("#/events/why", "#why-form"),
            ] {
                try bench.open(route)
                try bench.browser.reload()
                try bench.wait(selector)
                try bench.browser.evaluate("document.querySelectorAll('main details').forEach(e => { e.open = true; })")
                let violations = try bench.browser.accessibilityViolations()
                #expect(violations.isEmpty, "\(scheme) \(route): \(violations)")
                let isWide = try bench.browser.evaluate("return document.documentElement.scrollWidth > innerWidth").bool
                #expect(isWide == false, "\(scheme) \(route) scrolls sideways")
            }
        }
        try bench.wait("html[lang=tr]")
        // A missing text causes an error.
        try bench.expectNoErrors()
    }
}
