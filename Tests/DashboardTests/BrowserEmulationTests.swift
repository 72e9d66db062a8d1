import Model
import TestSupport
import Testing

@Suite(
    "Browser emulation", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct BrowserEmulationTests {
    @Test("The browser goes offline and online, and pages are notified")
    func offline() throws {
        let site = try Site([
            "/": """
            <script>
                window.news = []
                for (const type of ['offline', 'online']) addEventListener(type, () => news.push(type))
            </script>
            """
        ])
        let browser = try Browser(at: site)
        let ask = "return [navigator.onLine, await fetch('/').then(answer => answer.status, () => 'failed'), news]"
        try browser.emulate(offline: true)
        try browser.wait(until: "news.length == 1")
        #expect(try browser.evaluate(ask) == [false, "failed", ["offline"]])
        try browser.emulate(offline: false)
        try browser.wait(until: "news.length == 2")
        #expect(try browser.evaluate(ask) == [true, JSONValue(200), ["offline", "online"]])
    }

    @Test("The browser prefers a color scheme and reduced motion, on further pages too")
    func preferences() throws {
        let site = try Site([
            "/": "<style>p { color: red } @media (prefers-color-scheme: dark) { p { color: lime } }</style><p>Text</p>"
        ])
        let browser = try Browser(at: site)
        let motion = "return matchMedia('(prefers-reduced-motion: reduce)').matches"
        #expect(try browser.find("p").style("color") == "rgba(255, 0, 0, 1)")
        try browser.emulate(colorScheme: .dark, reducedMotion: true)
        try browser.reload()
        #expect(try browser.find("p").style("color") == "rgba(0, 255, 0, 1)")
        #expect(try browser.evaluate(motion) == true)
        try browser.emulate(colorScheme: .light)
        #expect(try browser.find("p").style("color") == "rgba(255, 0, 0, 1)")
        #expect(try browser.evaluate(motion) == false)
    }

    @Test("The browser has the given font size, language and time zone")
    func person() throws {
        let site = try Site(["/": "<p style='font-size:1.5rem'>Text</p>"])
        let browser = try Browser(at: site)
        try browser.zoomText(200)
        try browser.emulate(locale: "tr-TR")
        try browser.emulate(timeZone: "Asia/Kathmandu")
        try browser.reload()
        #expect(try browser.find("p").style("font-size") == "48px")
        #expect(
            try browser.evaluate(
                "return [navigator.language, (1234.5).toLocaleString(), new Date(2026, 0, 1).getTimezoneOffset()]")
                == ["tr-TR", "1.234,5", JSONValue(-345)])
        #expect(site.server.requests.last?.lowercased().contains("accept-language: tr-tr") == true)
    }

    @Test("The browser has the screen of a desktop with a mouse, and that of a phone")
    func screen() throws {
        let browser = try Browser(at: Site(["/": "<p>Text</p>"]))
        func size() throws -> JSONValue { try browser.evaluate("return [innerWidth, innerHeight, devicePixelRatio]") }
        func input() throws -> JSONValue {
            try browser.evaluate(
                "return ['(pointer: fine)', '(pointer: coarse)', '(hover: hover)', '(hover: none)'].map(query => matchMedia(query).matches)"
            )
        }
        try browser.resize(width: 1000, height: 600)
        #expect(try size() == [JSONValue(1000), JSONValue(600), JSONValue(1)])
        #expect(try input() == [true, false, true, false])
        try browser.emulate(.phone)
        #expect(try size() == [JSONValue(390), JSONValue(844), JSONValue(3)])
        #expect(try input() == [false, true, false, true])
        #expect(try browser.evaluate("return navigator.maxTouchPoints") == JSONValue(5))
        try browser.emulate(.desktop)
        #expect(try size() == [JSONValue(1280), JSONValue(800), JSONValue(1)])
        #expect(try browser.evaluate("return navigator.maxTouchPoints") == JSONValue(0))
    }
}
