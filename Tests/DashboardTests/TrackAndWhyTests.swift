import Foundation
import Model
import TestSupport
import Testing

@Suite(
    "Tracks and explanations on the dashboard", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct TrackAndWhyTests {
    /// Positions of a phone that arrives, is seen far away once, leaves, and returns after hours of silence. One position is coarse, and
    /// one is late.
    private static func journey(_ picket: Program) throws {
        try picket.addPlaces(home: "52.5,13.4", school: "52.7,13.4")
        try picket.run("geofence", "add", "--id", "off", "--name", "Off", "--circle", "52.5,13.4,100", "--inactive")
        let header = "device,timestamp,latitude,longitude,accuracy\n"
        for lines in [
            """
            anna,2025-05-01T08:00:00Z,52.51,13.4,5
            anna,2025-05-01T08:01:00Z,52.505,13.4,5
            anna,2025-05-01T08:02:00Z,52.5,13.4,5
            anna,2025-05-01T08:03:00Z,52.5001,13.4,5
            anna,2025-05-01T08:04:00Z,55.5,13.4,5
            anna,2025-05-01T08:05:00Z,52.5001,13.4001,5
            anna,2025-05-01T08:06:00Z,52.504,13.4,900
            anna,2025-05-01T08:07:00Z,52.51,13.4,5
            anna,2025-05-01T08:08:00Z,52.511,13.4,5
            anna,2025-05-01T12:00:00Z,52.52,13.4,5

            """, "anna,2025-05-01T08:02:30Z,52.5,13.4,5\n",
        ] {
            try picket.feed(header + lines)
        }
    }

    @Test("A track is browsed by position and by decision, and names what is odd about a position")
    func scrub() throws {
        let bench = try DashboardBench.inBerlin(Self.journey)
        try bench.open("#/events/track/anna")
        try bench.wait("#track-now time", contains: "10:00:00")
        try bench.wait(".track-controls", contains: "11 positions")
        let slider = try bench.browser.find("#track-time")
        #expect(try slider.role == "slider" && slider.label == "Date and time")
        try slider.click()
        try bench.browser.press(.home)
        try bench.browser.press(.right)
        try bench.wait("#track-now time", contains: "10:01:00")
        try bench.browser.press(.pageUp)
        try bench.wait("#track-event", contains: "Anna <b>7</b> entered Home")
        try bench.wait("#track-now time", contains: "10:02:00")
        try bench.browser.press(.pageUp)
        try bench.wait("#track-event", contains: "Anna <b>7</b> left Home")
        #expect(try bench.browser.find("#track-why").attribute("href")?.contains("#/events/why/anna/home?at=2025-05-01") == true)
        for kind in ["late", "coarse", "outlier"] {
            try bench.browser.find("#next-\(kind)").click()
            try bench.wait("#track-now [data-mark=\(kind)]")
        }
        try bench.wait("#track-now time", contains: "10:04:00")
        try bench.browser.find("#track-decisions [data-type=enter] button").click()
        try bench.wait("#track-event", contains: "entered Home")
        try bench.expectNoErrors()
    }

    @Test("A track plays, skips hours without a position, and stops at its end")
    func play() throws {
        let bench = try DashboardBench.inBerlin(Self.journey)
        try bench.open("#/events/track/anna?since=2025-05-01&at=2025-05-01T08:08:00.000Z")
        try bench.wait("#track-now time", contains: "10:08:00")
        try bench.browser.find("#track-play").click()
        try bench.wait("#track-now", contains: "Skipped 3 hrs 52 mins without positions.")
        try bench.wait("#track-now time", contains: "14:00:00")
        try bench.wait("#track-play", contains: "Play")
        try bench.expectNoErrors()
    }

    @Test("A day without a position is named as such")
    func none() throws {
        let bench = try DashboardBench.inBerlin(Self.journey)
        try bench.open("#/events/track/anna?since=2025-05-02")
        try bench.wait("#no-track", contains: "no position on these days")
        try bench.browser.find("#track-before").click()
        try bench.wait("#track-now time")
        #expect(try bench.browser.url.hasSuffix("since=2025-05-01&until=2025-05-01"))
    }

    @Test("An event leads to its explanation, with an answer and steps that are selected in the list or on the map")
    func event() throws {
        let bench = try DashboardBench.inBerlin(Self.journey)
        try bench.open("#/events?type=enter")
        try bench.browser.find(".event [data-key=why]").click()
        try bench.wait("#why-answer[data-kind=event]", contains: "Anna <b>7</b> entered Home")
        try bench.wait("#why-answer", contains: "confirmed")
        try bench.wait("#why-steps [data-rule=jump]", contains: "too far from the previous position")
        try bench.wait("#why-steps [data-rule=coarse]", contains: "too coarse")
        try bench.wait("#why-steps [data-rule=pending]", contains: "outside → entering")
        try bench.wait("#why-steps tr[aria-current=true]")
        try bench.browser.find("#why-steps [data-rule=coarse] button").click()
        try bench.wait("#why-steps [data-rule=coarse][aria-current=true]")
        // The first position that is drawn at the clicked point is selected.
        let before = try bench.browser.evaluate("return document.querySelector('#why-steps [aria-current=true]').dataset.key")
            .string
        try bench.browser.evaluate(
            """
            const map = document.querySelector('#why-map .map').getBoundingClientRect();
            let found = null;
            for (let y = 10; y < map.height && !found; y += 6) for (let x = 10; x < map.width && !found; x += 6) {
                const at = { clientX: map.left + x, clientY: map.top + y, bubbles: true };
                const target = document.querySelector('#why-map .map');
                for (const type of ['mousedown', 'mouseup', 'click']) target.dispatchEvent(new MouseEvent(type, at));
                const now = document.querySelector('#why-steps [aria-current=true]')?.dataset.key;
                if (now !== arguments[0]) found = now;
            }
            """, .string(before ?? ""))
        try bench.browser.wait(
            until: "document.querySelector('#why-steps [aria-current=true]').dataset.key !== arguments[0]", .string(before ?? ""))
        try bench.expectNoErrors()
    }

    @Test("Missing events are explained too, for a moment that a person asks about and where a filter finds nothing")
    func absence() throws {
        let bench = try DashboardBench.inBerlin(Self.journey)
        try bench.open("#/events?device=anna&geofence=school")
        try bench.browser.find("#why-nothing").click()
        try bench.wait("#why-answer[data-kind=outside]", contains: "Anna <b>7</b> was not in \(Program.scriptName)")
        try bench.wait("#why-answer", contains: "outside.")
        #expect(try bench.browser.evaluate("return document.querySelector('main img')") == .null)
        try bench.open("#/events/why?device=anna")
        try bench.browser.find("#why-geofence").type("of")
        try bench.wait("#why-geofence-list [data-id=off]")
        try bench.browser.press(.enter)
        try bench.wait("#why-answer", contains: "The geofence was switched off.")
        try bench.open("#/events/why/anna/home?at=2025-05-01T08:05:00.000Z")
        try bench.wait("#why-answer[data-kind=inside]", contains: "Anna <b>7</b> was in Home")
        try bench.expectNoErrors()
    }
}
