import TestSupport
import Testing

@Suite(
    "Accessibility checks", .timeLimit(browserTimeLimit), .inBrowser,
    .enabled("chromium and chromedriver are not installed") { Browser.isInstalled },
    .enabled("axe-core is not there; tools/axe-core fetches it") { AxeCore.isInstalled })
struct AccessibilityTests {
    @Test("An input without a label, a picture without a text and low contrast are found")
    func violations() throws {
        let site = try Site(
            [
                "/": #"<input id="name"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=">"#
                    + #"<p id="pale">Text</p><script src="/pale.js"></script>"#,
                "/pale.js": "document.querySelector('#pale').style.color = '#aaa'",
            ], policy: "default-src 'self'; img-src data:")
        let browser = try Browser(at: site)
        let violations = try browser.accessibilityViolations()
        #expect(violations.count == 3, "\(violations)")
        #expect(
            violations.contains { $0.hasPrefix("label (critical): Form elements must have labels: #name: ") }, "\(violations)")
        #expect(violations.contains { $0.hasPrefix("image-alt (critical)") }, "\(violations)")
        #expect(violations.contains { $0.hasPrefix("color-contrast (serious)") && $0.contains("#pale") }, "\(violations)")
        #expect(try browser.requests() == ["\(site.url)/", "\(site.url)/pale.js"])
        #expect(try browser.consoleErrors() == [])
    }

    @Test("Nothing is found in a good page, however often it is checked")
    func good() throws {
        let site = try Site(["/": #"<label>Name <input></label><p>Text</p><a href="/">Here</a>"#])
        let browser = try Browser(at: site)
        #expect(try browser.accessibilityViolations() == [])
        #expect(try browser.accessibilityViolations() == [])
        try browser.reload()
        #expect(try browser.accessibilityViolations() == [])
    }
}
