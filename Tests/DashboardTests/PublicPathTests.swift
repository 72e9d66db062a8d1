import Foundation
import Model
import TestSupport
import Testing

@Suite(
    "The dashboard below a path", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct PublicPathTests {
    @Test(
        "Behind a proxy with a path, the page, signing in, the stream, the map and downloads stay below the path",
        arguments: [false, true])
    func path(keepsPrefix: Bool) throws {
        let port = try FreePort.find()
        let address = "http://127.0.0.1:\(port)/our/home/"
        var secret = ""
        let bench = try DashboardBench(options: ["--public-url", address]) { picket in
            try picket.addPlaces(home: "52.5,13.4", school: "52.51,13.4")
            let made = try picket.run("token", "create", "Ben", "--role", "admin", "--json")
            secret = try JSONParser.parse(made.output)["secret"]?.string ?? ""
        }
        let proxy = try PrefixProxy(port: port, prefix: "/our/home", keepsPrefix: keepsPrefix, to: bench.port)
        defer { withExtendedLifetime(proxy) {} }
        try bench.browser.open(address)
        try bench.browser.find("#sign-in-token").type(secret)
        try bench.browser.find("#sign-in-submit").click()
        try bench.wait("#page-status[data-status=fine]")
        try bench.wait("#overview-devices", contains: "Anna <b>7</b>")
        // The session belongs to the path.
        try bench.browser.reload()
        try bench.wait("#overview-devices", contains: "Anna <b>7</b>")
        #expect(try bench.browser.all("#sign-in[open]").isEmpty)
        try bench.browser.waitForStream()
        // What happens arrives on the stream.
        try bench.browser.evaluate("location.hash = '#/events'")
        try bench.wait("#no-events")
        try bench.ask("GET", "/osmand?id=anna&lat=52.5&lon=13.4&accuracy=5", secret: secret)
        try bench.wait("#timeline .event[data-type=enter]", contains: "Home")
        let download =
            try bench.browser.evaluate(
                """
                const link = document.getElementById('download-csv')
                const answer = await fetch(link.href)
                return [link.href, answer.status, await answer.text()]
                """
            ).array ?? []
        #expect(download[0].string?.hasPrefix(address + "v1/events?") == true && download[1] == JSONValue(200), "\(download)")
        #expect(download[2].string?.contains("anna") == true, "\(download)")
        // The parts of the page that are loaded later.
        try bench.browser.evaluate("location.hash = '#/map'")
        try bench.wait("#map-geofences [data-geofence=home]")
        let requests = try bench.browser.requests().filter { !$0.hasPrefix("data:") }
        #expect(requests.contains { $0.hasSuffix("/dashboard/world.json") })
        #expect(requests.allSatisfy { $0.hasPrefix(address) }, "\(requests.filter { !$0.hasPrefix(address) })")
        // The first request of a browser without a session is refused.
        let errors = try bench.consoleErrors().filter { !$0.contains("401") }
        #expect(errors.isEmpty, "\(errors)")
    }
}
