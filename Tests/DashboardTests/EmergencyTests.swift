import Delivery
import Foundation
import Model
import TestSupport
import Testing

@Suite(
    "Emergencies on the dashboard", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct EmergencyTests {
    private static func places(_ picket: Program) throws {
        try picket.run("geofence", "add", "--id", "school", "--name", "School", "--circle", "52.53,13.41,200")
        try picket.run("device", "add", "mia", "--name", "Mia <b>watch</b>")
        try picket.run("device", "add", "van")
    }

    /// Raises an alarm at a position.
    private func alarm(_ bench: DashboardBench, _ device: String, _ place: String, secret: String? = nil) throws {
        let (latitude, longitude) = (place.split(separator: ",")[0], place.split(separator: ",")[1])
        let answer = try bench.ask(
            "GET", "/osmand?id=\(device)&lat=\(latitude)&lon=\(longitude)&accuracy=8&alarm=sos", secret: secret)
        #expect(answer.status == 200, "\(answer.text)")
    }

    private func signIn(_ browser: Browser, _ secret: String) throws {
        try browser.find("#sign-in-token").type(secret)
        try browser.find("#sign-in-submit").click()
        try browser.wait(
            until: "!document.getElementById('sign-in')?.open && document.querySelector('#page-status[data-status=fine]')")
    }

    private static func secret(_ picket: Program, _ words: String...) throws -> String {
        let made = try picket.run(["token", "create"] + words + ["--json"])
        return try #require(try JSONParser.parse(made.output)["secret"]?.string, "\(made.errors)")
    }

    /// All views and the parts of them that replace a view.
    private static let views = [
        "", "map", "map/device/mia", "map/geofence/school/edit", "events", "events/track/mia", "events/why/mia/school", "phones",
        "phones/add", "phones/load", "health", "health/mia", "problems", "sinks", "settings", "nowhere",
    ]

    @Test("An emergency is above everything on every view, in the title and in the menu, on a desktop and a phone")
    func everyView() throws {
        let bench = try DashboardBench(Self.places)
        try bench.open()
        try bench.wait("#page-status[data-status=fine]")
        // It appears without a reload.
        try alarm(bench, "mia", "52.53,13.41")
        try bench.wait("#emergencies [role=alert]", contains: "Emergency: Mia <b>watch</b> (SOS)")
        try bench.wait("#emergencies [role=alert]", contains: "In School")
        for (screen, scheme) in [
            (BrowserScreen.desktop, Browser.ColorScheme.light), (.desktop, .dark), (.phone, .light), (.phone, .dark),
            (.phoneSideways, .light), (.phoneSideways, .dark),
        ] {
            try bench.browser.emulate(screen)
            try bench.browser.emulate(colorScheme: scheme, reducedMotion: scheme == .dark)
            for view in Self.views {
                try bench.open("#/\(view)")
                try bench.wait("#emergencies [role=alert]", contains: "In School")
                try bench.wait("#emergency-count", contains: "1")
                try bench.browser.wait(until: "document.title.startsWith('Emergency: Mia')")
                let look = try bench.browser.evaluate(
                    """
                    scrollTo(0, 500)
                    const bar = document.getElementById('emergencies').getBoundingClientRect()
                    const over = document.elementFromPoint(bar.width / 2, 4)
                    const style = getComputedStyle(document.getElementById('emergencies'))
                    // Whether a finger or a pointer on the middle of an element meets it.
                    const canBePressed = selector => {
                        const element = document.querySelector(`#emergencies ${selector}`)
                        const box = element.getBoundingClientRect()
                        const met = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
                        return box.width >= 44 && box.height >= 44 && element.contains(met)
                    }
                    return [bar.top, bar.width === document.documentElement.clientWidth, style.backgroundColor,
                        !!over.closest('#emergencies'), getComputedStyle(document.querySelector('.emergency-icon')).animationName,
                        document.documentElement.scrollWidth > innerWidth, document.querySelector('#emergencies a[href^="tel:"]').href,
                        canBePressed('a[href^="tel:"]'), canBePressed('[data-key=acknowledge]')]
                    """)
                #expect(
                    look == [
                        JSONValue(0), true, "rgb(168, 16, 26)", true, scheme == .dark ? "none" : "pulse", false, "tel:112", true,
                        true,
                    ], "\(view) \(screen) \(scheme): \(look)")
            }
            if AxeCore.isInstalled {
                try bench.open()
                try bench.wait("#emergencies [role=alert]")
                let violations = try bench.browser.accessibilityViolations()
                #expect(violations.isEmpty, "\(violations)")
            }
        }
        try bench.expectNoErrors()
    }

    @Test("A restricted reader of the device sees its emergency, another one does not, and all see who takes care of it")
    func people() throws {
        var secrets: [String: String] = [:]
        let bench = try DashboardBench { picket in
            try Self.places(picket)
            secrets["Ben"] = try Self.secret(picket, "Ben", "--role", "admin")
            secrets["Gran"] = try Self.secret(picket, "Gran", "--role", "reader", "--device", "mia")
            secrets["Driver"] = try Self.secret(picket, "Driver", "--role", "reader", "--device", "van")
        }
        try alarm(bench, "mia", "52.53,13.41", secret: secrets["Ben"])
        try bench.open()
        try signIn(bench.browser, try #require(secrets["Driver"]))
        try bench.wait("#overview-devices", contains: "van")
        #expect(try bench.browser.all(".emergency").isEmpty)
        #expect(try bench.ask("GET", "/v1/alarms?emergency=true", secret: secrets["Driver"]).json()["alarms"] == [])
        let gran = try bench.browser.another()
        try gran.open(bench.url)
        try signIn(gran, try #require(secrets["Gran"]))
        #expect(try gran.find(".emergency [role=alert]").text.contains("In School"))
        let button = try gran.find(".emergency [data-key=acknowledge]")
        #expect(try button.attribute("aria-disabled") != "true", "readers may take care of an emergency, too")
        // Ben signs in in the first browser, and uses the keyboard.
        try bench.browser.find("#settings-link").click()
        try bench.browser.find("#sign-out").click()
        try signIn(bench.browser, try #require(secrets["Ben"]))
        try bench.browser.reload()
        try bench.wait(".emergency")
        var reached: [String] = []
        for _ in 1...4 {
            try bench.browser.press(.tab)
            reached.append(try bench.browser.evaluate("return document.activeElement.textContent").string ?? "")
        }
        #expect(reached == ["Skip to content", "Show on Map", "Call 112", "I’ll take care of it"])
        try bench.browser.press(.enter)
        for browser in [bench.browser, gran] {
            try browser.wait(
                until:
                    "document.querySelector('.emergency.taken [role=status]')?.textContent.includes('Ben takes care of it: Mia')")
            try browser.wait(until: "!document.title.includes('Emergency') && !document.getElementById('emergency-count')")
        }
        let event = try bench.ask("GET", "/v1/alarms", secret: secrets["Ben"]).json()["alarms"]?.array?.first
        #expect(event?["alarm"]?["acknowledgedBy"]?.string == "Ben")
        try gran.find(".emergency.taken [data-key=close]").click()
        try gran.wait(until: "!document.querySelector('.emergency')")
    }

    @Test(
        "Without names, the page that acknowledges says that it is the person, and others that it is someone, in their language")
    func unnamed() throws {
        let bench = try DashboardBench(Self.places)
        let other = try bench.browser.another()
        try other.emulate(locale: "tr-TR")
        try other.open(bench.url)
        try bench.open()
        try bench.wait("#page-status[data-status=fine]")
        #expect(try bench.ask("GET", "/osmand?id=van&lat=52.53&lon=13.41&alarm=fall_down,lowBattery,x1").status == 200)
        try bench.wait("#emergencies [role=alert]", contains: "Emergency: van (fall, low battery, x1)")
        try other.wait(
            until:
                "document.querySelector('#emergencies [role=alert]')?.textContent.includes('Acil durum: van (düşme, pil azaldı, x1)')"
        )
        try bench.browser.find(".emergency [data-key=acknowledge]").click()
        try bench.wait(".emergency.taken [role=status]", contains: "You take care of it: van (fall, low battery, x1)")
        try other.wait(
            until: "document.querySelector('.emergency.taken [role=status]')?.textContent.includes('Bir kişi ilgileniyor: van')")
    }

    @Test("The kinds of alarms have the same words in messages and on the page", arguments: Language.allCases)
    func kinds(_ language: Language) throws {
        let bench = try DashboardBench()
        try bench.open()
        let kinds = AlarmText.kinds.keys.sorted() + ["fallDown", "man_down", "SOS,tow", "unheardOf", "constructor"]
        let found = try bench.browser.evaluate(
            """
            const { alarmKind } = await import('/dashboard/alarm-kinds.js')
            const { speak } = await import('/dashboard/preferences.js')
            await speak(arguments[1])
            return arguments[0].map(kind => alarmKind(kind))
            """, .array(kinds.map(JSONValue.string)), .string(language.rawValue))
        #expect(found == .array(kinds.map { .string(AlarmText.kind($0).text(in: language)) }))
    }

    @Test("A device with an emergency is red on the map, and its panel and the list of events name the alarm")
    func map() throws {
        let bench = try DashboardBench(Self.places)
        try bench.ask("GET", "/osmand?id=van&lat=52.54&lon=13.41&accuracy=8")
        try alarm(bench, "mia", "52.53,13.41")
        try bench.open("#/map")
        try bench.wait("#map-devices [data-device=mia] .map-mark.alarm")
        try bench.wait("#map-devices [data-device=van] .map-mark.device:not(.alarm)")
        /// The number of pixels on the map in the color of emergencies.
        let red = """
            const canvas = document.querySelector('.leaflet-devices-pane canvas')
            await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
            const wanted = (await import('/dashboard/map-colors.js')).mapColors().alarm.match(/\\d+/g).map(Number)
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
            let count = 0
            for (let index = 0; index < data.length; index += 4) {
                if (data[index + 3] === 255 && wanted.every((value, part) => Math.abs(data[index + part] - value) < 3)) count += 1
            }
            return count
            """
        #expect(try bench.browser.evaluate(red).double ?? 0 > 50)
        try bench.browser.find("#map-devices [data-device=mia] button").click()
        try bench.wait("#map-details .device-emergency", contains: "Emergency: SOS")
        try bench.open("#/events")
        try bench.wait("#timeline .event[data-type=alarm]", contains: "Mia <b>watch</b> raised an alarm: SOS")
        #expect(
            try bench.browser.find("#timeline .event[data-type=alarm] .event-icon").attribute("class")?.contains("bad") == true)
        try bench.open("#/map")
        try bench.browser.find(".emergency [data-key=acknowledge]").click()
        try bench.wait("#map-devices [data-device=mia] .map-mark.device:not(.alarm)")
        #expect(try bench.browser.evaluate(red).double == 0)
        try bench.expectNoErrors()
    }

    @Test("Several emergencies have a row each, and one that could not be acknowledged stays with the reason")
    func several() throws {
        let bench = try DashboardBench(Self.places)
        try bench.open()
        try bench.wait("#page-status[data-status=fine]")
        // A battery is no emergency, however many report theirs.
        for number in 1...101 { try bench.ask("GET", "/osmand?id=tracker-\(number)&lat=52.5&lon=13.4&alarm=lowBattery") }
        try alarm(bench, "mia", "52.53,13.41")
        try alarm(bench, "van", "47.49,9.73")
        try bench.browser.wait(until: "document.querySelectorAll('.emergency').length === 2")
        try bench.wait("#emergency-count", contains: "2")
        try bench.browser.wait(until: "document.title.startsWith('2 emergencies')")
        let texts = try bench.browser.evaluate(
            "return [...document.querySelectorAll('.emergency [role=alert]')].map(e => e.textContent)")
        #expect(texts == ["Emergency: van (SOS) At 47.49000, 9.73000", "Emergency: Mia <b>watch</b> (SOS) In School"])
        try bench.browser.evaluate(
            """
            const ask = window.fetch
            window.fetch = (path, more) => path.includes(':acknowledge') ? Promise.reject(new Error('x')) : ask(path, more)
            """)
        try bench.browser.find(".emergency:first-child [data-key=acknowledge]").click()
        try bench.wait(".emergency:first-child", contains: "This was not recorded.")
        try bench.browser.wait(until: "document.querySelectorAll('.emergency:not(.taken)').length === 2")
    }

    @Test("The browser notifies of a new emergency once, if the person allows it, and a click shows the device on the map")
    func notification() throws {
        let bench = try DashboardBench(Self.places)
        try bench.browser.addScript(
            """
            window.shown = []
            window.Notification = class {
                static permission = 'default'
                static async requestPermission() { return this.permission = 'granted' }
                constructor(title, options) { shown.push([title, options.body]); window.lastNotification = this }
                close() { window.isClosed = true }
            }
            """)
        try bench.open("#/settings")
        try bench.browser.find("#allow-notifications").click()
        try bench.wait("#notification-settings[data-permission=granted]", contains: "are on")
        try alarm(bench, "mia", "52.53,13.41")
        try bench.browser.wait(until: "shown.length === 1")
        #expect(try bench.browser.evaluate("return shown") == [["Emergency: Mia <b>watch</b> (SOS)", "In School"]])
        try bench.browser.evaluate("lastNotification.onclick()")
        try bench.browser.wait(until: "isClosed && location.hash === '#/map/device/mia' && document.querySelector('.map-view')")
        // An event of another kind loads the alarms again, and causes no notification.
        let loads = "performance.getEntriesByType('resource').filter(entry => entry.name.includes('/v1/alarms')).length"
        let count = try #require(try bench.browser.evaluate("return \(loads)").double)
        try bench.ask("GET", "/osmand?id=van&lat=52.5&lon=13.4&alarm=lowBattery")
        try bench.browser.wait(until: "\(loads) > \(count)")
        try bench.wait("#page-status[data-status=fine]")
        #expect(try bench.browser.evaluate("return shown.length") == JSONValue(1))
    }
}
