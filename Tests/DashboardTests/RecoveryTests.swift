import Foundation
import Model
import TestSupport
import Testing

@Suite(
    "Recovery actions on the dashboard", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct RecoveryTests {
    private static func geofences(_ picket: Program, _ count: Int = 2) throws {
        for number in 1...count {
            try picket.run(
                "geofence", "add", "--id", "g\(number)", "--name", "G\(number)", "--circle", "52.\(500 + number),13.4,100")
        }
    }

    /// Dismisses all problems, so that a device's page shows its own main action.
    private func dismissProblems(_ bench: DashboardBench) throws {
        for problem in try bench.ask("GET", "/v1/problems").json()["problems"]?.array ?? [] {
            try bench.ask("POST", "/v1/problems/\(problem["id"]?.string ?? ""):dismiss")
        }
    }

    private static let mainAction = "[data-key=actions] .primary"

    @Test("What a phone does not allow leads to the steps on that phone and not to a repair, even for an id with a slash")
    func setting() throws {
        let bench = try DashboardBench {
            try Self.geofences($0)
            try $0.run("device", "add", "jane/phone", "--platform", "ios", "--registry", "app")
        }
        func report(_ more: String) throws {
            let answer = try bench.ask(
                "PUT", "/v1/devices/jane%2Fphone/registry",
                body: "{\"platform\":\"ios\",\"locationServicesEnabled\":true,\"regions\":[],\(more)}")
            #expect(answer.status == 200, "\(answer.text)")
        }
        try report(#""authorizationStatus":"whenInUse","backgroundRefresh":false"#)
        try bench.open("#/health/jane%2Fphone")
        try bench.wait(".problem[data-code=authorizationRequired] .primary", contains: "Allow 'Always'")
        #expect(try bench.browser.all("#fix-registration.primary").isEmpty)
        try dismissProblems(bench)
        try bench.waitForNone(".problem")
        try bench.wait(Self.mainAction, contains: "Allow ‘Always’")
        #expect(try bench.browser.all(".primary").count == 1)
        try bench.browser.find(Self.mainAction).click()
        try bench.wait(".steps li", contains: "Choose Always")
        // Each finding has its own action.
        let rows = try bench.browser.evaluate(
            """
            return [...document.querySelectorAll('#findings .row')].map(row => [row.dataset.finding,
                [...row.querySelectorAll('.button')].map(button => button.textContent).join()])
            """)
        #expect(rows == [["blocked", "Allow ‘Always’"], ["degraded", "Open Settings"]])
        try bench.browser.find("#findings [data-finding=degraded] .button").click()
        try bench.wait("#findings [data-finding=degraded] .steps", contains: "Background App Refresh")
        // The phone has done it. Closing the steps asks for its health again.
        try report(#""authorizationStatus":"always","backgroundRefresh":false"#)
        try bench.browser.find("#findings [data-finding=degraded] .steps [data-key=done]").click()
        try bench.waitForNone("#findings [data-finding=blocked]")
        try bench.expectNoErrors()
    }

    @Test("A repair of a phone whose app registers its regions leads to steps, and Done shows what the app has reported since")
    func appPhone() throws {
        let bench = try DashboardBench {
            try Self.geofences($0, 1)
            try $0.run("device", "add", "app", "--platform", "ios", "--registry", "app")
        }
        func report(_ regions: String) throws {
            let answer = try bench.ask(
                "PUT", "/v1/devices/app/registry",
                body: "{\"platform\":\"ios\",\"authorizationStatus\":\"always\",\"regions\":[\(regions)]}")
            #expect(answer.status == 200, "\(answer.text)")
        }
        func region(_ number: Int) -> String {
            "{\"identifier\":\"picket/g\(number)\",\"latitude\":52.\(500 + number),\"longitude\":13.4,\"radius\":100}"
        }
        try report(region(1))
        try bench.run("geofence", "add", "--id", "g2", "--name", "G2", "--circle", "52.502,13.4,100")
        try bench.open("#/health/app")
        // The card of the problem has the action.
        try bench.wait(".problem[data-code=registrationIncomplete] .primary", contains: "Fix Registration")
        try bench.browser.find(".problem[data-code=registrationIncomplete] .primary").click()
        try bench.wait("#repair-plan", contains: "The app carries out these operations")
        try bench.wait("#repair-plan .steps", contains: "Open the app on the phone")
        try bench.wait("#repair-plan .meta", contains: "The app last reported its regions")
        try bench.wait("#repair-plan .steps-list", contains: "Register G2")
        #expect(try bench.browser.all("#run-repair").isEmpty)
        // Without a report of the app, Done shows the same health, and nothing is said to be finished.
        try bench.browser.find("#app-done").click()
        try bench.waitForNone("#repair-plan")
        try bench.wait("#missing .row", contains: "G2")
        #expect(try bench.browser.all("#repair-report").isEmpty)
        try bench.browser.find("#fix-registration").click()
        try bench.wait("#repair-plan .steps-list", contains: "Register G2")
        try report("\(region(1)),\(region(2))")
        try bench.wait("#health-summary[data-state=healthy]")
        try bench.waitForNone("#repair-plan")
        try bench.expectNoErrors()
    }

    @Test("On a simulated phone, an action changes the setting that is wrong")
    func simulated() throws {
        let bench = try DashboardBench {
            try Self.geofences($0)
            try $0.run("device", "add", "anna", "--platform", "ios", "--registry", "simulated")
            try $0.run("fix-registration", "--device", "anna")
            try $0.run("registry", "authorize", "denied", "--device", "anna")
        }
        try bench.ask(
            "POST", "/v1/devices/anna/registry:simulate", body: #"{"action":"set","setting":"background","value":"off"}"#)
        try bench.open("#/health/anna")
        try bench.browser.find("#findings [data-finding=blocked] .button").click()
        try bench.wait("#health-summary", contains: "Background refresh off")
        try bench.browser.find("#findings [data-finding=degraded] .button").click()
        try bench.waitForNone("#findings")
        // iOS drops the regions of an app that may not use the location, so they are registered again.
        if try bench.browser.all("#health-summary[data-state=healthy]").isEmpty {
            try bench.browser.find("#fix-registration").click()
            try bench.browser.find("#run-repair").click()
        }
        try bench.wait("#health-summary[data-state=healthy]")
        try bench.waitForNone(".problem")
        try bench.expectNoErrors()
    }

    @Test("A missing sentinel has a row, whose action registers it again")
    func sentinel() throws {
        let bench = try DashboardBench { picket in
            try Self.geofences(picket, 24)
            try picket.run("device", "add", "anna", "--platform", "ios", "--registry", "simulated")
            try picket.feed("device,timestamp,latitude,longitude\nanna,\(Int(Date.now.timeIntervalSince1970) - 5),52.5,13.4\n")
            try picket.run("fix-registration", "--device", "anna")
        }
        let regions = try bench.ask("GET", "/v1/devices/anna/registry").json()["regions"]?.array ?? []
        let sentinel = try #require(regions.compactMap { $0["identifier"]?.string }.first { $0.hasSuffix("#sentinel") })
        try bench.ask(
            "POST", "/v1/devices/anna/registry:simulate", body: "{\"action\":\"drop\",\"identifiers\":[\"\(sentinel)\"]}")
        try bench.open("#/health/anna")
        try bench.wait("#findings [data-finding=missing]", contains: "Sentinel")
        try bench.wait("#findings [data-finding=missing]", contains: "Not Registered")
        try bench.waitForNone("#missing")
        try bench.browser.find("#findings [data-finding=missing] .button").click()
        try bench.wait("#repair-plan", contains: "Sentinel")
        try bench.browser.find("#run-repair").click()
        try bench.wait("#health-summary[data-state=healthy]")
        try bench.waitForNone("#findings")
        try bench.expectNoErrors()
    }

    private func move(_ bench: DashboardBench, to latitude: Double, secondsAgo: Int) throws {
        let time = Int(Date.now.timeIntervalSince1970) - secondsAgo
        let answer = try bench.ask(
            "POST", "/v1/positions?policy=exact",
            body: "{\"device\":\"anna\",\"timestamp\":\(time),\"latitude\":\(latitude),\"longitude\":13.4}")
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test("A message that a sink refused is sent again from the page to which its problem leads")
    func rejected() throws {
        let hook = try ScriptedEndpoint { _, _ in .answer(400) }
        let bench = try DashboardBench {
            try Self.geofences($0, 1)
            try $0.run("sink", "add", "webhook", hook.url + "/hook", "--id", "hook")
        }
        try move(bench, to: 52.501, secondsAgo: 20)
        try move(bench, to: 52.6, secondsAgo: 10)
        try bench.open("#/problems")
        let action = try bench.browser.find(".problem[data-code=eventRejected] [data-key=action]")
        #expect(try action.attribute("href") == "#/sinks/hook/rejected")
        try action.click()
        try bench.wait("#sink-rejected", contains: "anna left G1")
        hook.script { _, _ in .answer(200) }
        try bench.browser.find("#sink-rejected [data-key=resend]").click()
        try bench.wait("#sink-rejected", contains: "No rejected messages.")
        #expect(try bench.ask("GET", "/v1/problems").json()["problems"] == [])
        try bench.expectNoErrors()
    }

    @Test("A sink that was refused gets its token on the page to which its problem leads, and continues")
    func sinkSignIn() throws {
        let hook = try ScriptedEndpoint { request, _ in
            .answer(request.headers["authorization"] == "Bearer a-new-token" ? 200 : 401)
        }
        let bench = try DashboardBench {
            try Self.geofences($0, 1)
            try $0.run("sink", "add", "webhook", hook.url + "/hook", "--id", "hook")
        }
        try move(bench, to: 52.501, secondsAgo: 20)
        try move(bench, to: 52.6, secondsAgo: 10)
        try bench.open("#/problems")
        try bench.browser.find(".problem[data-code=sinkUnauthorized] [data-key=action]").click()
        try bench.browser.wait(until: "document.activeElement.id === 'edit-token'")
        try bench.browser.find("#edit-token").type("a-new-token")
        try bench.browser.find("#save-edit").click()
        try bench.wait("#sink-list [data-key=hook][data-state=connected] [data-fact=delivered]", contains: "1")
        #expect(hook.requests.last?.headers["authorization"] == "Bearer a-new-token")
        #expect(try bench.ask("GET", "/v1/problems").json()["problems"] == [])
        // Another server would get the secret, so it has to be typed again. On the same server it stays.
        try bench.browser.find("#sink-list [data-key=hook] [data-key=edit]").click()
        try bench.browser.find("#edit-url").clear()
        try bench.browser.find("#edit-url").type("http://127.0.0.2:9/hook")
        try bench.browser.find("#save-edit").click()
        try bench.wait("#edit-token-error")
        try bench.browser.find("#edit-url").clear()
        try bench.browser.find("#edit-url").type(hook.url + "/other")
        try bench.browser.find("#save-edit").click()
        try bench.waitForNone("#sink-edit")
        try bench.browser.find("#sink-list [data-key=hook] [data-key=test]").click()
        try bench.wait("#sink-list [data-key=hook]", contains: "The test arrived.")
        #expect(hook.requests.last?.target == "/other")
        #expect(hook.requests.last?.headers["authorization"] == "Bearer a-new-token")
    }

    @Test("Each problem of a sink and of its parts leads to where it is corrected, on the page and in the terminal")
    func sinkParts() throws {
        let refuses = try ScriptedEndpoint { request, _ in
            .answer(request.target == "/event" ? 400 : request.target == "/token" ? 401 : 404)
        }
        let bench = try DashboardBench { picket in
            // More than Home Assistant is announced.
            let rows = (1...5001).map { "g\($0),\(40 + Double($0) / 1000),13.4,100" }
            let file = picket.data + "-geofences.csv"
            try ("id,latitude,longitude,radius\n" + rows.joined(separator: "\n")).write(
                toFile: file, atomically: true, encoding: .utf8)
            try picket.run("geofence", "import", file)
            for id in ["event", "token", "address"] {
                try picket.run("sink", "add", "webhook", refuses.url + "/" + id, "--id", id)
            }
            try picket.run("sink", "add", "mqtt", "mqtt://127.0.0.1:9", "--id", "ha", "--discovery", "homeassistant")
        }
        try move(bench, to: 40.001, secondsAgo: 20)
        try move(bench, to: 52.6, secondsAgo: 10)
        let found: KeyValuePairs = [
            "eventRejected": ("#/sinks/event/rejected", "#sink-rejected", "picket sink parked event"),
            "sinkUnauthorized": (
                "#/sinks/token/sign-in", "[data-key=token] #sink-edit", "picket sink edit token --sink-token @FILE"
            ),
            "sinkRejected": ("#/sinks/address/edit", "[data-key=address] #sink-edit", "picket sink show address"),
            "validationFailed": (
                "#/sinks/ha/filter", "[data-key=ha] #sink-edit", "picket sink edit ha --group LIST --geofence LIST"
            ),
        ]
        for (code, (address, target, command)) in found {
            try bench.open("#/problems")
            let action = try bench.browser.find(".problem[data-code=\(code)] [data-key=action]")
            #expect(try action.attribute("href") == address)
            try action.click()
            try bench.wait(target)
            let listed = try bench.picket.run("problems").output
            #expect(listed.contains(command), "\(listed)")
        }
        try bench.browser.wait(until: "document.activeElement.id === 'edit-groups'")
        try bench.browser.find("#edit-geofences").type("g1, g2")
        try bench.browser.find("#save-edit").click()
        try bench.waitForNone("#sink-edit")
        let filter = try bench.ask("GET", "/v1/sinks/ha").json()["filter"]
        #expect(filter == ["geofences": ["g1", "g2"]], "\(String(describing: filter))")
        try bench.open("#/problems")
        try bench.waitForNone(".problem[data-code=validationFailed]")
        try bench.expectNoErrors()
    }

    @Test("A finding about a geofence leads to its editor, and only what a person can do nothing about has no action")
    func findings() throws {
        let bench = try DashboardBench { picket in
            try Self.geofences(picket, 1)
            try picket.run("geofence", "add", "--id", "tiny", "--name", "Tiny", "--circle", "52.51,13.4,5")
            try picket.run("device", "add", "anna", "--platform", "ios", "--registry", "simulated")
            try picket.run("fix-registration", "--device", "anna")
        }
        try bench.open("#/health/anna")
        try bench.browser.find("#notes summary").click()
        let action = try bench.browser.find("#notes [data-finding=unsupported] .button")
        #expect(try action.text == "Correct the Input" && action.attribute("aria-label") == "Correct the Input: Tiny")
        try action.click()
        try bench.wait("#edit-form")
        #expect(try bench.browser.find("#edit-name").property("value") == "Tiny")
        try bench.browser.find("#cancel-edit").click()
        try bench.wait("#map-details-title", contains: "Tiny")
        for language in ["en-GB", "tr-TR"] {
            try bench.browser.emulate(locale: language)
            try bench.open("#/settings")
            let kinds = Problem.RecoveryAction.allCases.map { JSONValue.string($0.rawValue) }
            let without = try bench.browser.evaluate(
                """
                const { recoveryOfFinding } = await import('/dashboard/recovery.js')
                const device = { id: 'anna', platform: 'ios', registry: 'app' }
                return arguments[0].filter(kind => {
                    const recovery = recoveryOfFinding({ key: 'k', finding: { recoveryAction: kind, geofenceId: 'g1' }, device, onDone() {} })
                    return !recovery?.label || !(recovery.href || recovery.action)
                })
                """, .array(kinds))
            #expect(without == ["dismiss"])
        }
        try bench.expectNoErrors()
    }

    @Test("No recovery action of any problem ends in a shell command")
    func commands() throws {
        let bench = try DashboardBench()
        for language in ["en", "de", "tr"] {
            try bench.open("#/gallery/\(language)")
            try bench.wait(".gallery[data-code=unknown]")
            let found =
                try bench.browser.evaluate(
                    """
                    const first = [...document.querySelectorAll('.gallery')].map(one => one.querySelector('[data-key=action]'))
                    for (const action of first) if (action.hasAttribute('aria-expanded')) action.click()
                    await new Promise(requestAnimationFrame)
                    const steps = [...document.querySelectorAll('.gallery .steps')]
                    return [steps.length, steps.filter(one => /picket |<code/.test(one.innerHTML)).map(one => one.textContent)]
                    """
                ).array ?? []
            #expect(found.first?.double ?? 0 > 2)
            #expect(found.last == [], "\(found)")
        }
    }
}
