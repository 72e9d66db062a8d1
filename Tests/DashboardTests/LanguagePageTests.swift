import Model
import TestSupport
import Testing

@Suite(
    "A dashboard in a language that only has a catalog", .timeLimit(browserTimeLimit), .inBrowser,
    .enabled("chromium and chromedriver are not installed") { Browser.isInstalled }
)
struct LanguagePageTests {
    private static let isPseudo = "html[lang=\(PseudoLanguage.tag)]"
    private static let option = "#setting-language option"

    /// A bench with a healthy phone.
    private static func bench() throws -> DashboardBench {
        try DashboardBench(hasPseudoLanguage: true) { picket in
            try picket.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,100")
            try picket.run("device", "add", "anna", "--platform", "ios", "--registry", "simulated")
            try picket.run("fix-registration", "--device", "anna")
        }
    }

    /// Waits for a view that has this heading in the pseudo-language, and until the page is up to date.
    private func waitForView(_ heading: String, in bench: DashboardBench) throws {
        try bench.wait("#view-title", contains: PseudoLanguage.accented(heading))
        try bench.wait("#page-status[data-status=fine]", contains: PseudoLanguage.accented("Up to date"))
    }

    /// The texts of the elements that match a selector.
    private func texts(_ bench: DashboardBench, _ selector: String) throws -> [String] {
        let texts = try bench.browser.evaluate(
            "return [...document.querySelectorAll(arguments[0])].map(one => one.textContent.trim())", .string(selector))
        return (texts.array ?? []).compactMap(\.string)
    }

    /// The words of two or more letters without an accent in the elements that match a selector, including their tooltips and
    /// their names for screen readers.
    private func englishWords(_ bench: DashboardBench, _ selector: String) throws -> Set<String> {
        let words = try bench.browser.evaluate(
            """
            const texts = [...document.querySelectorAll(arguments[0])].flatMap(one =>
                [one.textContent, one.getAttribute('title') ?? '', one.getAttribute('aria-label') ?? ''])
            return texts.join(' ').match(/[A-Za-z]{2,}/g) ?? []
            """, .string(selector))
        return Set((words.array ?? []).compactMap(\.string))
    }

    private func expectOverview(_ bench: DashboardBench) throws {
        try bench.wait("#overview-devices", contains: "anna")
        try waitForView("Overview", in: bench)
        let views = ["Overview", "Map", "Events", "Phones", "Health", "Problems", "Sinks"]
        #expect(try texts(bench, "#top nav a") == views.map(PseudoLanguage.accented))
        let headings = ["Overview", "Problems", "Health", "Sinks", "Who is where"]
        #expect(try texts(bench, "#main h1, #main h2") == headings.map(PseudoLanguage.accented))
        #expect(try bench.browser.title == PseudoLanguage.accented("Overview") + " – Picket")
        // A name is the same in every language.
        #expect(try englishWords(bench, "#skip, .frame, .frame *") == ["Picket", "anna"])
    }

    @Test("A person chooses it by its name in the settings, and then it is the language of all views, even after a reload")
    func chosen() throws {
        let bench = try Self.bench()
        try bench.open("#/settings")
        try bench.wait("#view-title", contains: "Settings")
        #expect(try texts(bench, Self.option) == ["Same as the browser", "English", PseudoLanguage.name])
        try bench.browser.find("\(Self.option)[value=\(PseudoLanguage.tag)]").click()
        try bench.wait(Self.isPseudo)
        try waitForView("Settings", in: bench)
        try bench.browser.evaluate("location.hash = '#/'")
        try expectOverview(bench)
        try bench.browser.reload()
        try expectOverview(bench)
        for (route, heading) in [
            ("settings", "Settings"), ("events", "Events"), ("phones", "Phones"), ("problems", "Problems"), ("sinks", "Sinks"),
            ("health", "Health"),
        ] {
            try bench.browser.evaluate("location.hash = arguments[0]", .string("#/\(route)"))
            try waitForView(heading, in: bench)
            let words = try englishWords(bench, "#skip, #top nav, #top nav *, #top .icon-link, #main h1, #main h2, #main nav")
            #expect(words.isEmpty, "\(route): \(words)")
        }
        // The service's own words.
        try bench.wait("#health-list [data-key=anna] .badge", contains: PseudoLanguage.accented("Healthy"))
        try bench.expectNoErrors()
    }

    @Test("It is the language of the page if the browser prefers it, until a person chooses another one")
    func preferred() throws {
        let bench = try Self.bench()
        try bench.browser.emulate(locale: PseudoLanguage.tag)
        try bench.open()
        try expectOverview(bench)
        try bench.wait(Self.isPseudo)
        try bench.browser.evaluate("location.hash = '#/settings'")
        try waitForView("Settings", in: bench)
        try bench.browser.find("\(Self.option)[value=en]").click()
        try bench.wait("html[lang=en]")
        try bench.wait("#view-title", contains: "Settings")
        #expect(try texts(bench, "#top nav a").first == "Overview")
        try bench.expectNoErrors()
    }
}
