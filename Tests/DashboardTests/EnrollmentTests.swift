import Foundation
import Model
import TestSupport
import Testing

@Suite(
    "Phones and first run on the dashboard", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct EnrollmentTests {
    /// Drops a file on the page.
    private static func drop(_ text: String, _ name: String, _ bench: DashboardBench) throws {
        try bench.wait("#drop")
        try bench.browser.evaluate(
            """
            const files = new DataTransfer();
            files.items.add(new File([arguments[0]], arguments[1]));
            for (const type of ['dragover', 'drop']) {
              document.getElementById('drop').dispatchEvent(new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true }));
            }
            """, .string(text), .string(name))
        try bench.wait("#load-form")
    }

    private static func type(_ text: String, into selector: String, _ bench: DashboardBench) throws {
        try bench.browser.find(selector).clear()
        try bench.browser.find(selector).type(text)
    }

    /// Sends a report like a phone's app.
    ///
    /// - Returns: The status of the answer.
    private static func report(
        _ bench: DashboardBench, _ method: String, _ target: String, _ headers: [String: String] = [:], _ body: String? = nil
    ) throws -> Int {
        try RawConnection(port: bench.port).send(method, target, body: body, headers: headers)?.status ?? 0
    }

    private static func errors(_ bench: DashboardBench) throws -> [String] { try bench.browser.consoleErrors() }

    @Test("An empty store shows how to get positions in, loads the sample data, and is empty after its removal")
    func sampleData() throws {
        let bench = try DashboardBench()
        try bench.open()
        for way in ["phone", "file", "command", "sample"] { try bench.wait("#way-\(way)") }
        #expect(try bench.browser.find("#way-command code").text.contains("curl \(bench.url)v1/positions -d "))
        try bench.browser.find("#load-sample").click()
        try bench.wait("#sample-note", contains: "315 geofences, 17 devices")
        try bench.wait("#overview-devices [data-key=anna-phone]", contains: "(simulated)")
        #expect(try bench.picket.run("device", "list").output.contains("van-12"))
        try bench.open("#/phones")
        try bench.wait("#sample", contains: "315 geofences and 17 devices")
        try bench.browser.find("#remove-sample").click()
        try bench.browser.find("#confirm-sample-removal").click()
        try bench.waitForNone("#sample")
        try bench.open()
        try bench.wait("#first-run")
        #expect(try bench.picket.run("events", "--json").output.isEmpty)
        #expect(try Self.errors(bench).isEmpty)
    }

    @Test("A dropped file is loaded as positions of the named device, and the result is shown")
    func droppedFile() throws {
        let bench = try DashboardBench { try $0.run("geofence", "add", "--id", "park", "--circle", "52.5145,13.3501,300") }
        let track = try String(
            contentsOf: SharedData.checkout.appending(path: "data/tracks/run-tiergarten.gpx"), encoding: .utf8)
        try bench.open("#/phones/load")
        try Self.drop(track, "run tiergarten.gpx", bench)
        #expect(try bench.browser.find("#load-device").property("value").string == "run-tiergarten")
        try Self.type("ben", into: "#load-device", bench)
        try bench.browser.find("#load-submit").click()
        try bench.wait("#load-result[data-accepted='1301']", contains: "1,301 positions accepted")
        try bench.wait("#load-events", contains: "ben entered park")
        #expect(try bench.picket.run("device", "list").output.contains("ben"))

        // A part of the file cannot be used.
        try bench.browser.find("#load-other").click()
        let csv = "device,time,lat,lon\nmia,2026-05-04T06:00:00Z,91,13.4\nmia,2026-05-04T06:01:00Z,52.6,13.4\n"
        try Self.drop(csv, "my.csv", bench)
        try bench.browser.find("#load-submit").click()
        try bench.wait("#load-result[data-accepted='1']", contains: "1 position accepted")
        try bench.wait("#load-reasons", contains: "lat: it is out of range")

        // A file without positions shows a problem, and stays selected.
        try bench.browser.find("#load-other").click()
        try Self.drop("Dear diary,", "diary.txt", bench)
        try bench.browser.find("#load-device").clear()
        try bench.browser.find("#load-submit").click()
        try bench.wait("#load-device-hint.field-error")
        try Self.type("me", into: "#load-device", bench)
        try bench.browser.find("#load-submit").click()
        try bench.wait(".file-loader .problem")
        #expect(try Self.errors(bench).allSatisfy { $0.contains("/v1/positions") })
    }

    @Test("A file larger than a request is sent in pieces, without loss")
    func largeFile() throws {
        let bench = try DashboardBench()
        try bench.open()
        try bench.wait("#drop")
        // The file exceeds the 16 MiB that a request may have.
        try bench.browser.evaluate(
            """
            const start = Date.parse('2026-05-01T00:00:00Z');
            const lines = ['device,timestamp,latitude,longitude,note'];
            for (let number = 0; number < 60000; number += 1) {
              lines.push(`van-${number % 7},${new Date(start + number * 1000).toISOString()},52.5,13.4,${'x'.repeat(240)}`);
            }
            const files = new DataTransfer();
            files.items.add(new File([lines.join('\\n')], 'fleet.csv'));
            document.getElementById('drop').dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));
            """)
        try bench.wait("#load-form", contains: "16.9 MB")
        try bench.browser.find("#load-submit").click()
        try bench.wait("#load-result[data-accepted='60000']")
        try bench.browser.find("#first-onward").click()
        try bench.wait("#overview-devices [data-key=van-6]")
        #expect(try Self.errors(bench).isEmpty)
    }

    @Test("The pieces of a file are complete files of its format, and together contain everything")
    func pieces() throws {
        let bench = try DashboardBench()
        try bench.open()
        let found = try bench.browser.evaluate(
            """
            const { pieces } = await import('/dashboard/file-pieces.js');
            const cut = async (text, format) => {
              const bodies = [];
              for await (const { body } of pieces(new Blob([text]), format, 1000)) bodies.push(body);
              return bodies;
            };
            const count = (texts, part) => texts.reduce((sum, text) => sum + text.split(part).length - 1, 0);
            const numbers = [...Array(200).keys()];
            const points = numbers.map((number) => `<trkpt lat="52.5" lon="13.4"><time>2026-05-01T10:00:${number % 60}Z</time></trkpt>`
              + (number % 50 === 49 && number < 199 ? '</trkseg></trk><trk><name>ü</name><trkseg>' : ''));
            const gpx = await cut(`<?xml version="1.0"?><gpx xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>${points.join('')}</trkseg></trk></gpx>`, 'gpx');
            const isXML = (text) => !new DOMParser().parseFromString(text, 'text/xml').querySelector('parsererror');
            const nmea = await cut(numbers.map((number) => `$GPRMC,${number},A\\r\\n$GPGGA,${number}\\r\\n`).join(''), 'nmea');
            const csv = await cut(`device,time\\n${numbers.map((number) => `ü${number},${'x'.repeat(40)}\\n`).join('')}`, 'csv');
            const geojson = await cut(JSON.stringify({ type: 'FeatureCollection', crs: 'x', features: numbers.map(String) }), 'geojson');
            return [
              gpx.length > 3, gpx.every(isXML), count(gpx, '<trkpt'), count(gpx, 'xmlns=') === gpx.length,
              nmea.length > 3, nmea.every((text) => text.startsWith('$GPRMC')), count(nmea, '$'),
              csv.length > 1, csv.every((text) => text.startsWith('device,time\\n')), count(csv, 'ü'),
              geojson.length > 1 && geojson.every((text) => JSON.parse(text).crs === 'x'), geojson.flatMap((text) => JSON.parse(text).features).length,
            ];
            """)
        let (all, both) = (JSONValue(200), JSONValue(400))
        #expect(found == [true, true, all, true, true, true, both, true, true, all, true, all], "\(found)")
    }

    @Test("The first OwnTracks phone closes the service, keeps its creator signed in, and is confirmed by its first report")
    func ownTracks() throws {
        let bench = try DashboardBench()
        try bench.open("#/phones/add")
        try bench.wait("#first-token-note")
        try bench.browser.find("#enroll-name").type("Anna’s phone")
        #expect(try bench.browser.find("#enroll-id").property("value").string == "annas-phone")
        try bench.browser.find("#enroll-submit").click()
        try bench.wait("#setup[data-app=ownTracks] svg.qr")
        try bench.wait("#own-token code", contains: "picket_")
        try bench.wait(".callout.warning", contains: "Phones cannot reach this address")
        try bench.wait("#enroll-wait[data-state=waiting]")

        // The app reads its settings from the link in the QR code.
        let link = try #require(try bench.browser.find("#setup-link").attribute("href"))
        let inline = try #require(link.split(separator: "inline=").last?.removingPercentEncoding)
        let settings = try JSONParser.parse(String(decoding: try #require(Data(base64Encoded: inline)), as: UTF8.self))
        let user = try #require(settings["username"]?.string)
        let names = ["X-Limit-U": user, "X-Limit-D": settings["deviceId"]?.string ?? ""]
        func authorized(_ password: String) -> [String: String] {
            names.merging(["Authorization": "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"]) { $1 }
        }
        let location = #"{"_type":"location","lat":52.5,"lon":13.4,"acc":12,"tst":1777629600}"#
        // The first report has a wrong password.
        #expect(try Self.report(bench, "POST", "/owntracks", authorized("wrong"), location) == 401)
        try bench.wait("#enroll-wait[data-state=refused]", contains: "its token is invalid")
        let password = settings["password"]?.string ?? ""
        #expect(try Self.report(bench, "POST", "/owntracks", authorized(password), location) == 200)
        try bench.wait("#enroll-wait[data-state=works]", contains: "It works: 12 m accuracy")

        // The person who made the token is still signed in. The secret is gone when the page is left.
        try bench.open("#/phones")
        try bench.wait("#device-list [data-key=annas-phone]", contains: "Anna’s phone")
        try bench.open("#/phones/add/annas-phone")
        try bench.wait("#enroll-form", contains: "This device already exists")
        #expect(try bench.browser.evaluate("return document.documentElement.outerHTML").string?.contains(password) == false)
        #expect(try Self.report(bench, "GET", "/v1/devices") == 401)
        #expect(try Self.errors(bench).isEmpty)
    }

    @Test("A phone with Traccar Client is confirmed by its first report, in the person's units")
    func traccar() throws {
        let bench = try DashboardBench { try $0.run("token", "create", "me", "--role", "admin") }
        let secret = try bench.secret(role: "admin")
        try bench.signIn(secret, at: "#/settings")
        try bench.browser.find("#setting-units option[value=imperial]").click()
        try bench.open("#/phones/add")
        try bench.browser.find("#enroll-name").type("Van 7")
        try bench.browser.find("#enroll-form [data-key=traccar] input").click()
        try bench.browser.find("#enroll-submit").click()
        try bench.wait("#setup[data-app=traccar] svg.qr")
        let link = try #require(try bench.browser.find("#setup-link").attribute("href"))
        let url = try #require(link.split(separator: "url=").last?.split(separator: "&").first?.removingPercentEncoding)
        let target = "/" + url.dropFirst(bench.url.count)
        #expect(target.hasPrefix("/osmand?token=picket_"))
        let form = ["Content-Type": "application/x-www-form-urlencoded"]
        #expect(
            try Self.report(bench, "POST", target, form, "id=van-7&lat=52.5&lon=13.4&accuracy=12&timestamp=1777629600") == 200)
        try bench.wait("#enroll-wait[data-state=works]", contains: "It works: 39 ft accuracy")
        #expect(try Self.errors(bench).allSatisfy { $0.contains("401") }, "before the sign-in")
    }

    @Test("A device without a token waits, is announced and accepted, and a refused one stays away after a restart")
    func waiting() throws {
        let bench = try DashboardBench { try $0.run("token", "create", "me", "--role", "admin") }
        try bench.signIn(try bench.secret(role: "admin"), at: "#/")
        try bench.wait("#first-run")
        try bench.wait("#page-status[data-status=fine]")
        #expect(try Self.report(bench, "GET", "/osmand?id=stranger&lat=52.5&lon=13.4") == 401)
        try bench.wait("#waiting-notice", contains: "stranger reports without a token")
        #expect(try Self.report(bench, "GET", "/osmand?id=spam&lat=52.5&lon=13.4") == 401)
        try bench.wait("#waiting-count", contains: "2")
        try bench.browser.find("#waiting-notice a").click()
        try bench.wait("#waiting-list [data-key=stranger]", contains: "from 127.0.0.1")
        try bench.waitForNone("#waiting-notice .notice")
        try bench.browser.find("#waiting-list [data-key=spam] [data-key=refuse]").click()
        try bench.waitForNone("#waiting-list [data-key=spam]")
        try bench.browser.find("#waiting-list [data-key=stranger] [data-key=accept]").click()
        try bench.wait("#enroll-form")
        #expect(try bench.browser.find("#enroll-id").property("value").string == "stranger")
        try bench.browser.find("#enroll-submit").click()
        try bench.wait("#setup[data-app=traccar]", contains: "Traccar Client")
        try bench.browser.find("#setup #by-hand summary").click()
        let url = try bench.browser.find("[data-field=serverUrl] code").text
        #expect(
            try Self.report(bench, "GET", "/" + url.dropFirst(bench.url.count) + "&id=stranger&lat=52.5&lon=13.4&accuracy=12")
                == 200)
        try bench.wait("#enroll-wait[data-state=works]", contains: "It works: 12 m accuracy")

        bench.stop()
        try bench.start()
        try bench.open("#/phones")
        try bench.waitForNone("#offline.shown")
        for id in ["spam", "other"] { #expect(try Self.report(bench, "GET", "/osmand?id=\(id)&lat=52.5&lon=13.4") == 401) }
        try bench.wait("#waiting-list [data-key=other]")
        try bench.waitForNone("#waiting-list [data-key=spam]")
        // A readmitted device is listed again.
        try bench.browser.find("#refused-list summary").click()
        try bench.browser.find("#refused-list [data-key=spam] [data-key=readmit]").click()
        try bench.waitForNone("#refused-list")
        #expect(try Self.report(bench, "GET", "/osmand?id=spam&lat=52.5&lon=13.4") == 401)
        try bench.wait("#waiting-list [data-key=spam]")
    }

    @Test("A reader sees no waiting device, and can enroll and load nothing")
    func reader() throws {
        let bench = try DashboardBench { try $0.run("token", "create", "me", "--role", "reader") }
        #expect(try Self.report(bench, "GET", "/osmand?id=stranger&lat=52.5&lon=13.4") == 401)
        try bench.signIn(try bench.secret(role: "reader"), at: "#/phones/add")
        try bench.browser.find("#enroll-name").type("Mine")
        #expect(try bench.browser.find("#enroll-submit").attribute("aria-disabled") == "true")
        try bench.browser.find("#enroll-submit").click()
        try bench.open("#/phones")
        try bench.wait("#phones-devices", contains: "No device yet")
        try bench.waitForNone("#waiting")
        try bench.open("#/phones/load")
        try bench.wait("#drop")
        #expect(try bench.browser.find("#load-file").property("disabled").bool == true)
        #expect(try bench.picket.run("device", "list").output.contains("No devices"))
    }

    @Test(
        "No accessibility rule is broken, in light and dark, on a desktop and a phone",
        .enabled("axe-core is not there; tools/axe-core fetches it") { AxeCore.isInstalled })
    func accessibility() throws {
        let bench = try DashboardBench()
        func check(_ selector: String, _ what: String) throws {
            try bench.wait(selector)
            for (scheme, screen) in [(Browser.ColorScheme.light, BrowserScreen.desktop), (.dark, .phone)] {
                try bench.browser.emulate(colorScheme: scheme, reducedMotion: true)
                try bench.browser.emulate(screen)
                let violations = try bench.browser.accessibilityViolations()
                #expect(violations.isEmpty, "\(what) \(scheme): \(violations)")
                let isWide = try bench.browser.evaluate("return document.documentElement.scrollWidth > innerWidth").bool
                #expect(isWide == false, "\(what) \(scheme) scrolls sideways")
            }
        }
        try bench.open()
        try check("#load-sample", "first run")
        try bench.open("#/phones/load")
        try Self.drop(
            "device,time,lat,lon\nmia,2026-05-04T06:00:00Z,91,13.4\nmia,2026-05-04T06:01:00Z,52.6,13.4\n", "my.csv", bench)
        try check("#load-device", "load")
        try bench.browser.find("#load-submit").click()
        try check("#load-result", "result")
        try bench.open("#/phones/add")
        try check("#enroll-form", "add")
        try bench.browser.find("#enroll-name").type("Anna")
        try bench.browser.find("#enroll-submit").click()
        try check("#enroll-wait", "set up")
        #expect(try Self.report(bench, "GET", "/osmand?id=stranger&lat=52.5&lon=13.4") == 401)
        try bench.open("#/phones")
        try check("#waiting-list", "phones")
    }

    @Test("All texts exist in both languages")
    func words() throws {
        let bench = try DashboardBench()
        try bench.browser.emulate(locale: "tr-TR")
        try bench.open()
        try bench.wait("#first-run", contains: "Henüz veri yok")
        try bench.open("#/phones/load")
        try Self.drop(
            "device,time,lat,lon\nmia,2026-05-04T06:00:00Z,91,13.4\nmia,2026-05-04T06:01:00Z,52.6,13.4\n", "my.csv", bench)
        try bench.browser.find("#load-submit").click()
        try bench.wait("#load-result")
        try bench.open("#/phones/add")
        try bench.browser.find("#enroll-name").type("Ayşe")
        try bench.browser.find("#enroll-submit").click()
        try bench.wait("#enroll-wait", contains: "İlk konum bekleniyor")
        for app in ["traccar", "curl"] {
            try bench.browser.find(".app-choice [data-key=\(app)] input").click()
            try bench.wait("#setup[data-app=\(app)]")
        }
        _ = try Self.report(bench, "GET", "/osmand?id=stranger&lat=52.5&lon=13.4")
        try bench.open("#/phones")
        try bench.wait("#waiting-list [data-key=stranger]", contains: "anahtarsız")
        // A missing text causes an error.
        #expect(try Self.errors(bench).isEmpty)
    }
}

extension DashboardBench {
    /// Creates a token, and returns its secret.
    fileprivate func secret(role: String) throws -> String {
        let made = try picket.run("token", "create", "page", "--role", role, "--json")
        return try #require(try JSONParser.parse(made.output)["secret"]?.string)
    }

    /// Opens a view and signs in.
    fileprivate func signIn(_ secret: String, at route: String) throws {
        try open(route)
        try wait("#sign-in-token")
        try browser.find("#sign-in-token").type(secret)
        try browser.find("#sign-in-submit").click()
        try waitForNone("#sign-in")
    }
}
