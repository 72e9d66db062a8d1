import Foundation
import Model
import TestSupport
import Testing

@Suite(
    "Outcomes and changes on the dashboard", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct OutcomeTests {
    private static func phone(_ picket: Program) throws {
        for id in ["home", "school"] {
            try picket.run("geofence", "add", "--id", id, "--name", id.capitalized, "--circle", "52.5,13.4,100")
        }
        try picket.run("device", "add", "anna", "--platform", "ios", "--registry", "simulated")
        try picket.run("fix-registration", "--device", "anna")
    }

    @Test("A deletion that fails is reported on every view until the person closes it, and can be tried again")
    func failedDeletion() throws {
        let bench = try DashboardBench {
            try Self.phone($0)
            try $0.run("sink", "add", "webhook", "http://127.0.0.1:9/hook", "--id", "hook")
        }
        try bench.browser.replaceClock()
        try bench.open("#/sinks")
        try bench.browser.find("#sink-list [data-key=hook] [data-key=remove]").click()
        try bench.wait("#confirm-removal")
        try bench.browser.stopClock()
        try bench.browser.find("#confirm-removal").click()
        try bench.waitForNone("#sink-list [data-key=hook]")
        try bench.browser.emulate(offline: true)
        try bench.wait("#offline.shown")
        try bench.browser.advanceClock(seconds: 11)
        try bench.browser.startClock()
        try bench.wait("#notices .failed [role=alert]", contains: "Sink ‘hook’ was not removed.")
        try bench.browser.emulate(offline: false)
        try bench.waitForNone("#offline.shown")
        // The sink is there again, and the message stays on other views.
        try bench.wait("#sink-list [data-key=hook]")
        try bench.browser.evaluate("location.hash = '#/settings'")
        try bench.wait("#setting-theme")
        try bench.wait("#notices .failed", contains: "was not removed")
        try bench.browser.find("#notices .failed [data-key=retry]").click()
        try waitForDeletions(bench, 1)
        try bench.waitForNone("#notices .notice")
        #expect(try bench.ask("GET", "/v1/sinks").json()["sinks"] == [])
    }

    /// Waits until the service has confirmed a number of deletions.
    private func waitForDeletions(_ bench: DashboardBench, _ count: Int) throws {
        try bench.browser.wait(
            until: "performance.getEntriesByType('resource').filter(entry => entry.responseStatus === 204).length === \(count)")
    }

    @Test("All of several deletions at the same moment are sent")
    func severalDeletions() throws {
        let bench = try DashboardBench {
            for id in ["a", "b", "c"] { try $0.run("sink", "add", "webhook", "http://127.0.0.1:9/hook", "--id", id) }
        }
        try bench.browser.replaceClock()
        try bench.open("#/sinks")
        for id in ["a", "b", "c"] {
            try bench.browser.find("#sink-list [data-key=\(id)] [data-key=remove]").click()
            try bench.browser.find("#confirm-removal").click()
            try bench.waitForNone("#sink-list [data-key=\(id)]")
        }
        try bench.browser.sleep(seconds: 60)
        try waitForDeletions(bench, 3)
        try bench.waitForNone("#notices .notice")
        #expect(try bench.ask("GET", "/v1/sinks").json()["sinks"] == [])
    }

    @Test("The outcome of a repair leaves when the phone's health changes, or another operation starts")
    func repair() throws {
        let bench = try DashboardBench(Self.phone)
        func repair() throws {
            try bench.run("registry", "drop", "home", "--device", "anna")
            try bench.browser.find("#refresh").click()
            try bench.wait("#missing")
            try bench.browser.find("#fix-registration").click()
            try bench.browser.find("#run-repair").click()
            try bench.wait("#repair-report", contains: "Healthy")
            try bench.wait("#health-summary[data-state=healthy]")
        }
        try bench.open("#/health/anna")
        try repair()
        try bench.ask("POST", "/v1/devices/anna/registry:simulate", body: #"{"action":"drop","identifiers":["picket/school"]}"#)
        try bench.wait("#health-summary[data-state=unhealthy]")
        try bench.waitForNone("#repair-report")
        try repair()
        try bench.browser.find("#refresh").click()
        try bench.waitForNone("#repair-report")
    }

    @Test("A test that arrived is not shown beside a later failure or a later operation")
    func sinkTest() throws {
        let endpoint = try ScriptedEndpoint()
        let bench = try DashboardBench { try $0.run("sink", "add", "webhook", endpoint.url + "/hook", "--id", "hook") }
        try bench.open("#/sinks")
        try bench.browser.find("#sink-list [data-key=hook] [data-key=test]").click()
        try bench.wait("#sink-list [data-key=hook]", contains: "The test arrived.")
        try bench.browser.find("#sink-list [data-key=hook] [data-key=pause]").click()
        try bench.wait("#sink-list [data-key=hook][data-state=paused]")
        let text = try bench.browser.find("#sink-list [data-key=hook]").text
        #expect(!text.contains("The test arrived."))
    }

    @Test("Counts follow an edit of geofences at once, and new devices appear at once")
    func edits() throws {
        let bench = try DashboardBench(Self.phone)
        try bench.openWithoutPolling("#/health/anna")
        try bench.wait("#count-active", contains: "2")
        try bench.run("geofence", "add", "--id", "work", "--circle", "52.6,13.4,100")
        try bench.wait("#count-active", contains: "3")
        try bench.browser.evaluate("location.hash = '#/phones'")
        try bench.wait("#device-list [data-key=anna]")
        try bench.run("device", "add", "ben", "--name", "Ben")
        try bench.wait("#device-list [data-key=ben]", contains: "Ben")
        try bench.ask("GET", "/osmand?id=cleo&lat=52.5&lon=13.4")
        try bench.wait("#device-list [data-key=cleo]")
    }

    @Test("A lost region and a new geofence are a problem within seconds: a badge, a card and in the terminal, without Refresh")
    func brokenPhone() throws {
        let bench = try DashboardBench(Self.phone)
        try bench.openWithoutPolling()
        try bench.wait("#overview-problems", contains: "No open problems.")
        #expect(try bench.browser.all("#problem-count").isEmpty)
        for (words, message) in [
            (["registry", "drop", "home", "--device", "anna"], "On the device, 1 geofence is missing"),
            (["geofence", "add", "--id", "work", "--circle", "52.6,13.4,100"], "On the device, 1 geofence is missing"),
        ] {
            #expect(try bench.picket.run(words).status == 0)
            try bench.wait("#problem-count", contains: "1")
            try bench.wait("#overview-problems .problem[data-code=registrationIncomplete]", contains: message)
            try bench.wait("#health-totals", contains: "1")
            let listed = try bench.picket.run("problems")
            #expect(listed.status == 1 && listed.output.contains("registry/anna"), "\(words): \(listed.output)")
            #expect(listed.output.contains("picket fix-registration --device 'anna'"), "\(listed.output)")
            try bench.run("fix-registration", "--device", "anna")
            try bench.waitForNone("#overview-problems .problem")
            try bench.waitForNone("#problem-count")
            #expect(try bench.picket.run("problems").status == 0)
        }
        try bench.expectNoErrors()
    }

    @Test("A reader of one device does not see that there are no sinks and no problems")
    func restricted() throws {
        var secret = ""
        let bench = try DashboardBench { picket in
            try Self.phone(picket)
            try picket.run("device", "add", "ben")
            try picket.run("sink", "add", "webhook", "http://127.0.0.1:9/hook", "--id", "hook")
            let made = try picket.run("token", "create", "gran", "--role", "reader", "--device", "ben", "--json")
            secret = try JSONParser.parse(made.output)["secret"]?.string ?? ""
        }
        try bench.open("#/")
        try bench.browser.find("#sign-in-token").type(secret)
        try bench.browser.find("#sign-in-submit").click()
        try bench.wait("#overview-problems", contains: "Your devices have no open problems.")
        try bench.wait("#overview-sinks", contains: "they are not shown")
        for (view, text) in [("problems", "Your devices have no open problems."), ("sinks", "they are not shown")] {
            try bench.browser.evaluate("location.hash = '#/\(view)'")
            try bench.wait("#main", contains: text)
        }
        #expect(try bench.browser.all("#add-sink").isEmpty)
    }

    @Test("An untouched drawing gives way to a device that is requested, and one with a shape stays")
    func draft() throws {
        let bench = try DashboardBench {
            try $0.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
            try $0.feed("device,timestamp,latitude,longitude\nanna,\(Int(Date.now.timeIntervalSince1970) - 5),52.5,13.4\n")
        }
        try bench.open("#/map")
        try bench.browser.find("#draw-circle").click()
        try bench.wait("#edit-title")
        try bench.browser.evaluate("location.hash = '#/'")
        try bench.browser.find("#overview-devices [data-key=anna] a").click()
        try bench.wait("#map-panel, .map-panel", contains: "anna")
        try bench.waitForNone("#edit-title")
        #expect(try bench.browser.evaluate("return sessionStorage.getItem('picket.draft')") == .null)
        try bench.open("#/map")
        try bench.browser.find("#draw-circle").click()
        try bench.browser.find("#edit-name").type("Park")
        try bench.browser.evaluate("location.hash = '#/'")
        try bench.browser.find("#overview-devices [data-key=anna] a").click()
        try bench.wait("#edit-title")
        #expect(try bench.browser.find("#edit-name").property("value") == "Park")
    }
}
