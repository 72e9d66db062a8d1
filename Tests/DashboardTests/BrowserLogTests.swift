import Foundation
import Testing

@testable import TestSupport

@Suite(
    "Browser log", .timeLimit(browserTimeLimit), .inBrowser,
    .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct BrowserLogTests {
    @Test("Errors of scripts, of the console and of requests are reported, each once")
    func errors() throws {
        let site = try Site([
            "/": """
            <script>
                console.log('fine'); console.warn('careful'); console.error('noted');
                Promise.reject(new Error('rejected'))
                fetch('/missing').then(() => document.title = 'asked')
            </script><script>undefinedFunction()</script>
            """
        ])
        let browser = try Browser(at: site)
        try browser.wait(until: "document.title == 'asked'")
        let errors = try browser.consoleErrors()
        for part in ["noted", "Error: rejected", "undefinedFunction is not defined", "/missing"] {
            #expect(errors.filter { $0.contains(part) }.count == 1, "\(part) in \(errors)")
        }
        #expect(errors.count == 4)
        #expect(try browser.consoleErrors() == [])
    }

    @Test("Violations of the Content Security Policy are reported")
    func contentSecurityPolicyViolations() throws {
        let site = try Site(
            ["/": #"<p style="color:red">Text</p><script>1</script>"#], policy: "default-src 'self'; img-src data:")
        let browser = try Browser(at: site)
        let errors = try browser.consoleErrors()
        #expect(errors.contains { $0.contains("Executing inline script violates") }, "\(errors)")
        #expect(errors.contains { $0.contains("Applying inline style violates") }, "\(errors)")
        #expect(errors.count == 2)
    }

    @Test("Every request is reported, and those to other hosts never leave the machine")
    func requests() throws {
        // A site on another port of 127.0.0.1, which the browser may reach.
        let secondSite = try Site(["/pixel": "<p>Text</p>"])
        let site = try Site([
            "/": """
            <script src="/code.js"></script><img alt="" src="\(secondSite.url)/pixel"><img alt="" src="https://example.org/picture.png">
            <img alt="" src="http://192.0.2.1/picture.png">
            """,
            "/code.js": "window.socket = new WebSocket('ws://example.net/socket'); fetch('/data.js')",
            "/data.js": "{}",
        ])
        let browser = try Browser(at: site)
        try browser.wait(until: "socket.readyState == WebSocket.CLOSED")
        let requests = try browser.requests()
        #expect(
            Set(requests) == [
                "\(site.url)/", "\(site.url)/code.js", "\(site.url)/data.js", "\(secondSite.url)/pixel",
                "https://example.org/picture.png",
                "http://192.0.2.1/picture.png", "ws://example.net/socket",
            ])
        #expect(secondSite.server.requests.count == 1)
        let errors = try browser.consoleErrors()
        // The browser's resolver rules block all hosts except 127.0.0.1 and localhost, including IP addresses.
        for host in ["example.org", "192.0.2.1", "example.net"] {
            #expect(errors.contains { $0.contains(host) && $0.contains("ERR_NAME_NOT_RESOLVED") }, "\(host) in \(errors)")
        }
        #expect(try browser.requests() == [])
    }

    @Test("The memory of a page is reported")
    func metrics() throws {
        let browser = try Browser(at: Site(["/": "<p>Text</p>"]))
        let before = try #require(try browser.metrics()["JSHeapUsedSize"])
        try browser.evaluate("window.kept = Array.from({ length: 1_000_000 }, (_, index) => index + 0.5)")
        let after = try #require(try browser.metrics()["JSHeapUsedSize"])
        // Each of the 1,000,000 elements occupies eight bytes.
        #expect(after - before > 7_000_000)
    }

    @Test("The main thread's work for each frame is reported")
    func frames() throws {
        let browser = try Browser(at: Site(["/": "<p>Text</p>"]))
        // The second recording must not repeat the first.
        for milliseconds in [40.0, 4] {
            let frames = try browser.frames {
                try browser.evaluate(
                    """
                    const text = document.querySelector('p')
                    for (let frame = 0; frame < 20; frame++) {
                        await new Promise(requestAnimationFrame)
                        const end = performance.now() + \(milliseconds)
                        while (performance.now() < end);
                        text.style.marginLeft = `${frame}px`
                    }
                    """)
            }
            #expect(frames.count >= 20)
            #expect(frames.filter { $0.wallTime > milliseconds - 1 }.count >= 20)
            #expect(frames.percentile(95) > milliseconds - 1)
            #expect(frames.allSatisfy { $0.processorTime > 0 })
        }
    }

    @Test("Percentiles are nearest ranks")
    func percentiles() {
        let frames = (1...20).shuffled().map { BrowserFrame(wallTime: Double($0), processorTime: 0) }
        #expect([0, 5, 5.1, 50, 95, 100].map { frames.percentile($0) } == [1, 1, 2, 10, 19, 20])
        #expect([BrowserFrame]().percentile(95) == 0)
    }
}
