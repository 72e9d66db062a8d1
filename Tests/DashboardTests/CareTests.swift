import Foundation
import Model
import TestSupport
import Testing

@Suite(
    "Health and problems on the dashboard", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct CareTests {
    /// Creates a simulated phone with three geofences, all registered.
    private static func phone(_ picket: Program) throws {
        for id in ["home", "school", "work"] {
            try picket.run("geofence", "add", "--id", id, "--name", id.capitalized, "--circle", "52.5,13.4,100")
        }
        try picket.run("device", "add", "anna", "--platform", "ios", "--registry", "simulated")
        try picket.run("fix-registration", "--device", "anna")
    }

    /// Creates a token.
    private static func token(_ picket: Program, _ name: String) throws -> (id: String, secret: String) {
        let made = try JSONParser.parse(try picket.run("token", "create", name, "--role", "admin", "--json").output)
        return (try #require(made["id"]?.string), try #require(made["secret"]?.string))
    }

    private func click(_ bench: DashboardBench, _ selector: String) throws { try bench.browser.find(selector).click() }

    /// Presses a button of the simulated phone, as soon as the previous one has finished.
    private func simulate(_ bench: DashboardBench, _ key: String) throws {
        try click(bench, "#simulator [data-key=\(key)]:not([aria-disabled])")
    }

    private func expectNoErrors(_ bench: DashboardBench, except expected: String? = nil) throws {
        let errors = try bench.browser.consoleErrors().filter { error in expected.map { !error.contains($0) } ?? true }
        #expect(errors.isEmpty, "\(errors)")
    }

    // MARK: - The simulated phone

    @Test("Breaking a simulated phone's registrations turns the shield orange, and the repair turns it green")
    func simulator() throws {
        let bench = try DashboardBench(Self.phone)
        try bench.open("#/health/anna")
        try bench.wait("#health-summary[data-state=healthy]", contains: "Healthy")
        let green = try bench.browser.find("#health-summary .badge").style("color")
        try bench.wait("#simulator summary", contains: "Simulation")
        try click(bench, "#simulator summary")
        try simulate(bench, "drop")
        try bench.wait("#health-summary[data-state=unhealthy] [data-icon=\"exclamationmark.shield\"]")
        let orange = try bench.browser.find("#health-summary .badge").style("color")
        #expect(orange != green)
        try bench.wait("#missing", contains: "Not Registered")
        try simulate(bench, "addOrphan")
        try bench.wait("#orphaned", contains: "Unknown Region")
        try simulate(bench, "addForeign")
        try bench.wait("#regions [data-verdict=foreign]")
        try click(bench, "#fix-registration")
        try bench.wait("#repair-plan li", contains: "Remove")
        try click(bench, "#run-repair")
        try bench.wait("#repair-report", contains: "Healthy")
        try bench.wait("#health-summary[data-state=healthy] [data-icon=\"checkmark.shield\"]")
        #expect(try bench.browser.find("#health-summary .badge").style("color") == green)
        // Regions of others are never changed.
        try bench.wait("#regions [data-verdict=foreign]")
        try bench.waitForNone("#orphaned")
        try expectNoErrors(bench)
    }

    @Test("Taking away a simulated phone's permission is shown with what is missing, and giving it back clears it")
    func permission() throws {
        let bench = try DashboardBench(Self.phone)
        try bench.open("#/health/anna")
        try click(bench, "#simulator summary")
        try bench.browser.find("#simulator-permission option[value=whenInUse]").click()
        try bench.wait("#health-summary", contains: "Needs 'Always' authorization")
        try bench.wait(".problem[data-code=authorizationRequired]")
        try simulate(bench, "location")
        try bench.wait("#health-summary", contains: "Location services disabled")
        try bench.wait("#simulator-permission:not([disabled])")
        try bench.browser.find("#simulator-permission option[value=always]").click()
        try bench.wait(".simulator-result", contains: "Always")
        try simulate(bench, "location")
        try bench.wait("#health-summary[data-state=healthy]")
        try expectNoErrors(bench)
    }

    @Test("Missing regions are orange with a triangle, left over ones gray with a question mark, and so are the findings")
    func looks() throws {
        let bench = try DashboardBench(Self.phone)
        try bench.run("geofence", "add", "--id", "tiny", "--name", "Tiny", "--circle", "52.6,13.4,5")
        try bench.run("fix-registration", "--device", "anna")
        for action in [
            #"{"action":"drop","identifiers":["picket/home"]}"#,
            #"{"action":"addOrphan","identifier":"old","latitude":52.5,"longitude":13.4,"radius":100}"#,
            #"{"action":"set","setting":"background","value":"off"}"#,
        ] {
            let answer = try bench.ask("POST", "/v1/devices/anna/registry:simulate", body: action)
            #expect(answer.status == 200, "\(action): \(answer.text)")
        }
        try bench.browser.emulate(locale: "tr-TR")
        for scheme in [Browser.ColorScheme.light, .dark] {
            try bench.browser.emulate(colorScheme: scheme, reducedMotion: true)
            try bench.open("#/health/anna")
            try bench.wait("#notes")
            let found = try bench.browser.evaluate(
                """
                const color = name => {
                    const probe = document.createElement('span')
                    probe.style.color = `var(--${name})`
                    document.body.append(probe)
                    return getComputedStyle(probe).color
                }
                document.getElementById('notes').open = true
                const names = { [color('warning')]: 'orange', [color('quiet')]: 'gray' }
                const lookOf = element => names[getComputedStyle(element).color]
                return ['#missing', '#orphaned', '#findings', '#notes'].map(id => {
                    const row = document.querySelector(`${id} .row`)
                    return [row.querySelector('svg').dataset.icon, lookOf(row.querySelector('svg')), lookOf(row.querySelector('.row-state'))]
                })
                """)
            let (bad, quiet): (JSONValue, JSONValue) = (
                ["exclamationmark.triangle", "orange", "orange"], ["questionmark.circle", "gray", "gray"]
            )
            #expect(found == [bad, quiet, bad, quiet], "\(scheme): \(found)")
        }
    }

    // MARK: - Repair

    @Test("A running repair shows the outcome of each operation, then before and after, and is kept in the history")
    func progress() throws {
        let bench = try DashboardBench(Self.phone)
        try bench.open("#/health/anna")
        try bench.wait("#page-status[data-status=fine]")
        try bench.run("registry", "drop", "home", "school", "--device", "anna")
        try click(bench, "#fix-registration")
        try bench.wait("#repair-plan [data-outcome=planned]")
        // A simulated phone answers at once, so its answer is delayed here to see what is shown meanwhile.
        try bench.browser.evaluate(
            """
            const ask = window.fetch
            window.fetch = async (...request) => {
                const answer = await ask(...request)
                if (request[0].endsWith('/fix-registration')) await new Promise(release => { window.release = release })
                return answer
            }
            """)
        try click(bench, "#run-repair")
        try bench.wait("#repair-progress", contains: "4 of 4 operations tried")
        let outcomes = try bench.browser.evaluate(
            "return [...document.querySelectorAll('#repair-plan li')].map(row => `${row.textContent.includes('state')} ${row.dataset.outcome}`)"
        )
        #expect(outcomes == ["false done", "false done", "true done", "true done"])
        #expect(try bench.browser.find("#repair-plan progress").property("value").double == 4)
        try bench.browser.wait(until: "window.release")
        try bench.browser.evaluate("window.release()")
        try bench.wait("#repair-report .comparison", contains: "2 geofence(s) not registered with iOS")
        try bench.wait("#repair-report .comparison", contains: "Healthy")
        try bench.wait("#repairs details", contains: "4 operations")
        try expectNoErrors(bench)
    }

    @Test("The page names the geofences left out, the reason and the purpose of the sentinel")
    func explanation() throws {
        let bench = try DashboardBench { picket in
            try Self.phone(picket)
            for number in 1...20 {
                try picket.run("geofence", "add", "--id", "stop-\(number)", "--circle", "52.\(510 + number),13.4,100")
            }
        }
        try bench.open("#/health/anna")
        try bench.wait("#explanation", contains: "iOS watches at most 20 regions")
        try bench.wait("#explanation h2", contains: "Left out")
        try click(bench, "#standings summary")
        try bench.wait("#standings [data-registered=false]", contains: "not registered")
        #expect(try bench.browser.all("#standings li").count == 23)
        #expect(try bench.browser.find("#standings li").attribute("data-registered") == "false", "those left out come first")
        try expectNoErrors(bench)
    }

    // MARK: - Problems

    /// The width of the borders, the opacity of the background, and the size of the mark.
    private static let look = """
        const style = getComputedStyle(document.querySelector('.problem'))
        const alpha = Number(/[\\/,]\\s*([\\d.]+)\\)$/.exec(style.backgroundColor)?.[1])
        return [style.borderTopWidth, alpha, getComputedStyle(document.querySelector('.problem'), '::before').width,
            getComputedStyle(document.querySelector('.problem-icon')).width]
        """

    @Test("A problem's card escalates live at the third failure in a row, and leaves after a successful check")
    func escalation() throws {
        let bench = try DashboardBench(Self.phone)
        try bench.open("#/problems")
        try bench.wait("#main", contains: "No open problems")
        try bench.wait("#page-status[data-status=fine]")
        // The service sees the change and opens the problem. Each repair that fails counts as a failure.
        try bench.run("registry", "authorize", "denied", "--device", "anna")
        try bench.wait(".problem", contains: "1 failure")
        #expect(try bench.browser.evaluate(Self.look) == ["1px", JSONValue(0.1), "2px", "32px"])
        for _ in 1...2 { _ = try bench.picket.run("fix-registration", "--device", "anna") }
        try bench.wait(".problem.escalated", contains: "3 failures in a row")
        #expect(try bench.browser.evaluate(Self.look) == ["2px", JSONValue(0.2), "2px", "32px"])
        // On a simulated phone, the action changes the setting itself; then the phone is checked again.
        try click(bench, ".problem [data-key=action]")
        try bench.waitForNone(".problem")
        try bench.wait("#main", contains: "No open problems")
        try expectNoErrors(bench)
    }

    @Test("Contact Support shows the contact and saves the report")
    func support() throws {
        let bench = try DashboardBench(Self.phone)
        try bench.open("#/gallery/en/unknown")
        try click(bench, ".problem [data-key=action]")
        let contact = try bench.browser.find(".problem .steps a")
        #expect(try contact.attribute("href") == "mailto:help@example.org" && contact.text == "help@example.org")
        try bench.browser.evaluate(
            """
            const make = URL.createObjectURL
            URL.createObjectURL = blob => { window.saved = blob; return make(blob) }
            HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download }
            """)
        try click(bench, ".problem .steps [data-key=report]")
        try bench.browser.wait(until: "window.savedAs")
        let saved = try bench.browser.evaluate("return [window.savedAs, JSON.parse(await window.saved.text())]").array ?? []
        #expect(saved[0].string?.hasPrefix("picket-report-2") == true && saved[0].string?.hasSuffix(".json") == true)
        #expect(saved[1]["versions"]?["picket"]?.string?.isEmpty == false && saved[1]["contents"]?.string?.isEmpty == false)
        try expectNoErrors(bench)
    }

    @Test("The gallery shows every problem with its icon, in both languages, light and dark, new, escalated and expanded")
    func gallery() throws {
        let bench = try DashboardBench()
        for (language, code) in [("en", "English"), ("tr", "Türkçe")] {
            try bench.open("#/gallery/\(language)")
            try bench.wait("[aria-current=page]", contains: code)
            try bench.wait(".gallery[data-code=unknown]")
            let codes = try bench.browser.evaluate(
                "return [...document.querySelectorAll('.gallery')].map(one => one.dataset.code)")
            #expect(codes == .array(Problem.samples.map { .string($0.code) }))
            let counts = try bench.browser.evaluate(
                """
                const cards = [...document.querySelectorAll('.gallery .problem')]
                return [cards.length, cards.filter(card => card.classList.contains('escalated')).length,
                    cards.filter(card => card.querySelector('.fold.open')).length,
                    cards.filter(card => !document.getElementById(card.querySelector('use').getAttribute('href').slice(1))).length,
                    cards.filter(card => card.querySelectorAll('.actions .button').length !== 1).length]
                """)
            let count = Double(Problem.samples.count)
            #expect(counts == [JSONValue(6 * count), JSONValue(2 * count), JSONValue(2 * count), JSONValue(0.0), JSONValue(0.0)])
        }
        try expectNoErrors(bench)
    }

    // MARK: - The session and what a person prefers

    @Test("When a token ends during typing, the sign-in form covers the page, and the typed text stays")
    func renewal() throws {
        var tokens: [(id: String, secret: String)] = []
        let bench = try DashboardBench { picket in
            try Self.phone(picket)
            tokens = [try Self.token(picket, "first"), try Self.token(picket, "second")]
        }
        try bench.open("#/sinks")
        try bench.browser.find("#sign-in-token").type(tokens[0].secret)
        try click(bench, "#sign-in-submit")
        try click(bench, "#add-sink")
        try click(bench, "#sink-form input[value=webhook]")
        try bench.browser.find("#sink-url").type("http://127.0.0.1:9/hook")
        try bench.run("token", "revoke", tokens[0].id)
        try bench.wait("#sign-in")
        #expect(try bench.browser.find("#sink-url").property("value").string == "http://127.0.0.1:9/hook")
        try bench.browser.find("#sign-in-token").type(tokens[1].secret)
        try click(bench, "#sign-in-submit")
        try bench.waitForNone("#sign-in")
        #expect(try bench.browser.find("#sink-url").property("value").string == "http://127.0.0.1:9/hook")
        try click(bench, "#save-sink")
        try bench.wait("#sink-list [data-key=webhook]")
        try expectNoErrors(bench, except: "401")
    }

    @Test("Preferences are saved with the token, and apply in another browser")
    func preferences() throws {
        var secret = ""
        let bench = try DashboardBench { secret = try Self.token($0, "mine").secret }
        try bench.open("#/settings")
        try bench.browser.find("#sign-in-token").type(secret)
        try click(bench, "#sign-in-submit")
        try bench.browser.find("#setting-theme option[value=dark]").click()
        try bench.browser.find("#setting-language option[value=tr]").click()
        try bench.wait("html[lang=tr][data-theme=dark]")
        try bench.browser.wait(until: "JSON.parse(localStorage.getItem('picket.preferences')).isUnsent === false")
        let other = try bench.browser.another()
        try other.open(bench.url + "#/settings")
        try other.find("#sign-in-token").type(secret)
        try other.find("#sign-in-submit").click()
        try other.wait(until: "document.documentElement.lang === 'tr' && document.documentElement.dataset.theme === 'dark'")
        #expect(try other.find("#setting-theme").property("value") == "dark")
    }

    // MARK: - Care

    @Test("Paused live updates are shown by a pulsing mark, even with reduced motion, which disappears automatically")
    func paused() throws {
        let bench = try DashboardBench(Self.phone)
        try bench.browser.emulate(reducedMotion: true)
        try bench.open("#/map")
        try bench.wait("#map-geofences")
        try bench.browser.evaluate("location.hash = '#/health'")
        try bench.wait("#health-list [data-key=anna]")
        bench.stop()
        try bench.wait("#offline.shown", contains: "Service unreachable")
        let banner = try bench.browser.evaluate(
            """
            const line = document.querySelector('#offline p')
            return [getComputedStyle(line).padding, document.querySelector('#offline').getBoundingClientRect().width === document.documentElement.clientWidth,
                line.querySelector('use').getAttribute('href')]
            """)
        #expect(banner == ["8px", true, "#icon-wifi.slash"])
        try bench.wait(".pill", contains: "Live updates paused")
        let pill = try bench.browser.evaluate(
            """
            const pill = document.querySelector('.pill')
            const { animationName, animationDuration, animationTimingFunction, animationIterationCount } = getComputedStyle(pill)
            const box = pill.getBoundingClientRect()
            return [animationName, animationDuration, animationTimingFunction, animationIterationCount, box.left < 40,
                innerHeight - box.bottom < 40, pill.parentElement.getAttribute('role'), pill.querySelector('.hidden-visually').textContent,
                pill.querySelectorAll('button').length, pill.querySelector('svg').dataset.icon]
            """)
        #expect(
            pill == [
                "pulse", "1.5s", "ease-in-out", "infinite", true, true, "status",
                "Live updates paused. Reconnecting in background.", JSONValue(0), "antenna.radiowaves.left.and.right.slash",
            ])
        // On a phone, it hides nothing: the end of the page and of the map's panel can be scrolled above it.
        for (screen, route, end) in [
            (BrowserScreen.phone, "#/health", "#main > :last-child"), (.phone, "#/map", "#map-panel-body > :last-child"),
            (.phoneSideways, "#/map", "#map-panel-body > :last-child"),
        ] {
            try bench.browser.emulate(screen)
            try bench.browser.evaluate("location.hash = '\(route)'")
            try bench.wait(end)
            let gap = try bench.browser.evaluate(
                """
                const last = document.querySelector('\(end)')
                last.scrollIntoView({ block: 'end' })
                for (let box = last.parentElement; box; box = box.parentElement) box.scrollTop = box.scrollHeight
                return document.querySelector('.pill').getBoundingClientRect().top - last.getBoundingClientRect().bottom
                """)
            #expect(gap.double ?? -1 >= 0, "\(route): \(gap)")
        }
        try bench.start()
        try bench.waitForNone(".pill")
        try bench.waitForNone("#offline.shown")
    }

    @Test("A phone vibrates on exactly six occasions")
    func haptics() throws {
        let bench = try DashboardBench { picket in
            try Self.phone(picket)
            try picket.run("sink", "add", "webhook", "http://127.0.0.1:9/hook")
        }
        let folder = SharedData.checkout.appending(path: "Sources/Dashboard")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where file.hasSuffix(".js") && file != "haptics.js" {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            #expect(!text.contains("navigator.vibrate"), "\(file) vibrates past haptics.js")
        }
        try bench.open("#/health/anna")
        try bench.browser.evaluate(
            "window.felt = []; Navigator.prototype.vibrate = pattern => window.felt.push(pattern.join('-'))")
        try click(bench, "#refresh")
        try bench.browser.wait(until: "felt.join() === '10'")
        try click(bench, "#settings-link")
        try bench.browser.find("#setting-units option[value=imperial]").click()
        try bench.browser.wait(until: "felt.join() === '10,15'")
        try click(bench, "nav a[href='#/sinks']")
        try click(bench, "#sink-list [data-key=webhook] [data-key=test]")
        try bench.browser.wait(until: "felt.join() === '10,15,40-60-40'")
        try click(bench, "#sink-list [data-key=webhook] [data-key=remove]")
        try bench.browser.wait(until: "felt.join() === '10,15,40-60-40,30-40-30'")
        try click(bench, "#confirm-removal")
        // The removal can be undone for ten seconds.
        try bench.browser.wait(until: "felt.join() === '10,15,40-60-40,30-40-30,30'")
    }

    @Test("Everything fits on a phone, upright and sideways, with text at 200 %, and breaks no accessibility rule")
    func largeText() throws {
        let bench = try DashboardBench { picket in
            try Self.phone(picket)
            try picket.run("registry", "authorize", "denied", "--device", "anna")
            _ = try picket.run("fix-registration", "--device", "anna")
        }
        for (screen, scheme) in [
            (BrowserScreen.phone, Browser.ColorScheme.dark), (.phoneSideways, .light), (.tablet, .dark), (.desktop, .light),
        ] {
            try bench.browser.emulate(screen)
            try bench.browser.emulate(colorScheme: scheme, reducedMotion: true)
            for percent in [100, 200] {
                try bench.browser.zoomText(percent)
                for (route, selector) in [
                    ("#/health/anna", "#simulator-permission"), ("#/problems", ".problem"),
                    ("#/gallery/tr/authorizationRequired", ".gallery .steps"), ("#/gallery/tr/sinkUnauthorized", ".gallery"),
                ] {
                    try bench.open(route)
                    if route == "#/health/anna" { try click(bench, "#simulator summary") }
                    if selector == ".gallery .steps" { try click(bench, ".gallery .problem [data-key=action]") }
                    try bench.wait(selector)
                    let isWide = try bench.browser.evaluate("return document.documentElement.scrollWidth > innerWidth").bool
                    #expect(isWide == false, "\(route) at \(percent) % scrolls sideways on \(screen)")
                    // The page is loaded again, so that everything opened is closed.
                    if percent == 100, AxeCore.isInstalled {
                        let violations = try bench.browser.accessibilityViolations()
                        #expect(violations.isEmpty, "\(scheme) \(route): \(violations)")
                    }
                    try bench.browser.reload()
                }
            }
        }
    }

    @Test("The keyboard reaches the parts of a phone's health in order, and returns to its place")
    func keyboard() throws {
        let bench = try DashboardBench(Self.phone)
        try bench.open("#/health/anna")
        try bench.wait("#health-summary[data-state=healthy]")
        try bench.browser.find("#refresh").click()
        var reached: [String] = []
        for _ in 1...3 {
            try bench.browser.press(.tab)
            reached.append(
                try bench.browser.evaluate(
                    "const e = document.activeElement; return e.id || e.closest('[id]').id + ' ' + e.tagName"
                ).string ?? "")
        }
        #expect(reached == ["fix-registration", "simulator SUMMARY", "standings SUMMARY"])
        // A panel that opens gets the focus, and returns it when it closes.
        try click(bench, "#fix-registration")
        try bench.browser.wait(until: "document.activeElement.id === 'repair-plan-title'")
        try click(bench, "#close-repair")
        try bench.browser.wait(until: "document.activeElement.id === 'fix-registration'")
    }
}
