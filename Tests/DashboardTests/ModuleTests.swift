import Foundation
import Model
import TestSupport
import Testing

@Suite(
    "Dashboard modules", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct ModuleTests {
    private let bench: DashboardBench

    init() throws {
        bench = try DashboardBench()
        try bench.open("#/settings")
        try bench.wait("#setting-theme")
    }

    /// Runs JavaScript with the exports of a module as `module`. The members of objects are returned in alphabetical order.
    private func run(_ module: String, _ body: String) throws -> JSONValue {
        try bench.browser.evaluate("const module = await import('/dashboard/\(module)')\n\(body)")
    }

    private static let folder = SharedData.checkout.appending(path: "Sources/Dashboard")

    /// The names of the dashboard's files with a suffix, sorted.
    private static func files(_ suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(suffix) }.sorted()
    }

    /// The matches of a pattern's first group in the dashboard's modules.
    private static func matches(_ pattern: String) throws -> Set<String> {
        let expression = try Regex(pattern, as: (Substring, Substring).self)
        var found: Set<String> = []
        for file in try files(".js") {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            found.formUnion(text.matches(of: expression).map { String($0.output.1) })
        }
        return found
    }

    // MARK: - The connection

    @Test("A lost stream is retried after 1, 2, 4, 8, 16 and then 30 seconds, each reduced by up to a quarter")
    func delays() throws {
        let delays = try run(
            "connection.js",
            "return [1, 2, 3, 4, 5, 6, 100].map(failures => [0, 0.5, 1].map(random => module.delayAfter(failures, random)))")
        let full = [1.0, 2, 4, 8, 16, 30, 30]
        #expect(delays == .array(full.map { .array([JSONValue($0), JSONValue($0 * 0.875), JSONValue($0 * 0.75)]) }))
    }

    /// Sends events to the connection, each with the random number 0, and returns the result of each.
    private func connection(_ events: [String]) throws -> [JSONValue] {
        try run(
            "connection.js",
            """
            let state = module.initialConnection()
            return \(JSONValue.array(events.map(JSONValue.string))).map(type => {
                const next = module.step(state, { type, random: 0 })
                state = next.state
                return { ...next, timer: next.timer === undefined ? 'same' : next.timer,
                    isPaused: module.areLiveUpdatesPaused(state), offline: module.offlineReason(state) }
            })
            """
        ).array ?? []
    }

    @Test("Live updates are paused from the fifth failure in a row, and any success ends that")
    func paused() throws {
        let failures = Array(repeating: ["failed", "timer"], count: 6).flatMap(\.self)
        let steps = try connection(["start"] + failures + ["opened", "failed"])
        #expect(steps[0]["actions"] == ["openStream"])
        let failed = stride(from: 1, to: 13, by: 2).map { steps[$0] }
        #expect(failed.map { $0["timer"]?.double } == [1, 2, 4, 8, 16, 30])
        #expect(failed.map { $0["isPaused"]?.bool } == [false, false, false, false, true, true])
        // It stays paused during the next attempt.
        #expect(steps[12]["isPaused"]?.bool == true && steps[12]["actions"] == ["openStream"])
        #expect(failed.allSatisfy { $0["actions"] == ["closeStream", "startPolling"] })
        #expect(steps[13]["isPaused"]?.bool == false && steps[13]["actions"] == ["stopPolling", "reload"])
        #expect(steps[14]["timer"]?.double == 1 && steps[14]["isPaused"]?.bool == false)
    }

    @Test("A lost network closes the stream, and its return opens it at once without counted failures")
    func network() throws {
        let steps = try connection(["start", "opened", "failed", "timer", "failed", "networkLost", "networkBack", "failed"])
        #expect(steps[5]["offline"] == "noNetwork" && steps[5]["actions"] == ["closeStream", "startPolling"])
        #expect(steps[5]["timer"] == .null)
        #expect(
            steps[6]["offline"] == .null && steps[6]["actions"] == ["openStream"] && steps[6]["state"]?["failures"]?.double == 0)
        #expect(steps[7]["timer"]?.double == 1)
    }

    @Test("An answer of the service ends the outage and the wait for the stream")
    func answered() throws {
        let steps = try connection([
            "start", "failed", "unreachable", "unreachable", "answered", "answered", "stop", "failed", "timer",
        ])
        #expect(steps[2]["offline"] == "unreachable" && steps[3]["actions"] == [])
        #expect(steps[4]["offline"] == .null && steps[4]["actions"] == ["openStream"] && steps[4]["timer"] == .null)
        #expect(steps[5]["actions"] == [] && steps[5]["timer"] == "same")
        // Nothing restarts a stream that was stopped.
        #expect(steps[6]["actions"] == ["closeStream", "stopPolling"])
        #expect(steps[7]["actions"] == [] && steps[8]["actions"] == [] && steps[8]["state"]?["stream"] == "idle")
    }

    @Test("A stream fails after two missed heartbeats, a new one after ten seconds, and a sleep of the computer replaces it")
    func silence() throws {
        let found = try run(
            "connection.js",
            """
            const event = (stream, silence, gap = 1, isHidden = false) => module.silentEvent({ stream }, { silence, gap, isHidden })
            return [
                [event('open', 32), event('open', 33), event('connecting', 10), event('connecting', 11), event('waiting', 99), event('idle', 99)],
                [event('open', 17, 3600), event('open', 18, 3600), event('waiting', 18, 11), event('open', 18, 10), event('open', 18, 60, true)],
                [module.isSilent({ stream: 'open' }, 30), module.isSilent({ stream: 'waiting' }, 31), module.isSilent({ stream: 'idle' }, 31)],
            ]
            """)
        #expect(found.array?[0] == [.null, "failed", .null, "failed", .null, .null])
        #expect(found.array?[1] == [.null, "woke", "woke", .null, .null])
        #expect(found.array?[2] == [false, true, false])
        let steps = try connection(["woke", "start", "woke", "opened", "woke", "failed", "woke"])
        #expect(steps[0]["actions"] == [])
        #expect(steps[2]["actions"] == ["closeStream", "openStream"] && steps[4]["actions"] == ["closeStream", "openStream"])
        #expect(steps[6]["actions"] == ["openStream"] && steps[6]["timer"] == .null)
    }

    @Test("The page's status is the first of offline, silent, syncing, rate-limited, error and fine that applies")
    func precedence() throws {
        let statuses = try run(
            "connection.js",
            """
            return Array.from({ length: 32 }, (_, bits) => module.pageStatus({
                isOffline: !!(bits & 16), isUnheard: !!(bits & 8), isSyncing: !!(bits & 4), isRateLimited: !!(bits & 2), hasError: !!(bits & 1) }))
            """)
        let names: [JSONValue] = ["offline", "silent", "syncing", "rateLimited", "error"]
        let expected: [JSONValue] = (0..<32).map { bits in (0..<5).first { bits & (16 >> $0) != 0 }.map { names[$0] } ?? "fine" }
        #expect(statuses == .array(expected))
    }

    // MARK: - Formats and preferences

    @Test("Lengths are in the person's units, ages in whole steps, and times in the person's time zone")
    func formats() throws {
        let found = try run(
            "format.js",
            """
            const style = (units, timeZone = 'UTC', locale = 'en-GB') => ({ units, timeZone, locale })
            const plain = text => text.replace(/[\\u00a0\\u202f]/g, ' ')
            return {
                metric: [0, 12.4, 999.4, 999.5, 1000, 12345].map(meters => plain(module.formatLength(meters, style('metric')))),
                imperial: [0, 100, 160.9, 161, 16093.44].map(meters => plain(module.formatLength(meters, style('imperial')))),
                turkish: plain(module.formatLength(1234, style('metric', 'UTC', 'tr'))),
                ages: [0, 59, 60, 119, 3600, 86399, 86400, 2629800, 31557600].map(seconds => module.formatAge(seconds, style('metric'))),
                turkishAge: module.formatAge(120, style('metric', 'UTC', 'tr')),
                times: ['UTC', 'Europe/Istanbul', 'America/Los_Angeles'].map(zone =>
                    plain(module.formatTime('2026-05-01T22:30:00Z', style('metric', zone)))),
            }
            """)
        #expect(found["metric"] == ["0 m", "12 m", "999 m", "1 km", "1 km", "12.3 km"])
        #expect(found["imperial"] == ["0 ft", "328 ft", "528 ft", "0.1 mi", "10 mi"])
        #expect(found["turkish"] == "1,2 km")
        #expect(
            found["ages"] == [
                "now", "now", "1 minute ago", "1 minute ago", "1 hour ago", "23 hours ago", "yesterday", "last month",
                "last year",
            ])
        #expect(found["turkishAge"] == "2 dakika önce")
        #expect(found["times"] == ["1 May 2026, 22:30:00", "2 May 2026, 01:30:00", "1 May 2026, 15:30:00"])
    }

    @Test("Only valid preferences are accepted")
    func preferences() throws {
        let found =
            try run(
                "preferences.js",
                """
                return [undefined, {}, { theme: 'dark', language: 'tr', units: 'imperial', timeZone: 'Europe/Istanbul' },
                    { theme: 'pink', language: 'xx', units: 3, timeZone: 'Mars/Base', more: 1 }, { timeZone: 7 }].map(values => module.valid(values))
                """
            ).array ?? []
        let defaults: JSONValue = ["language": "system", "theme": "system", "timeZone": "system", "units": "metric"]
        #expect(found[0] == defaults && found[1] == defaults && found[3] == defaults && found[4] == defaults)
        #expect(found[2] == ["language": "tr", "theme": "dark", "timeZone": "Europe/Istanbul", "units": "imperial"])
    }

    // MARK: - The page

    @Test("A patch keeps keyed elements, the focus, typed text, and what a view fills itself")
    func patch() throws {
        let found = try run(
            "dom.js",
            """
            const { h, patchChildren } = module
            const place = document.createElement('div')
            document.body.append(place)
            const inputs = (...keys) => keys.map(key => h('input', { type: 'text', 'data-key': key }))
            const result = {}
            patchChildren(place, inputs('a', 'b', 'c'))
            const [a, b, c] = place.children
            b.value = 'typed'
            b.focus()
            for (const order of [['b', 'a', 'c'], ['c', 'a', 'b'], ['b', 'c', 'a']]) {
                patchChildren(place, inputs(...order))
                const isSame = [...place.children].every((element, number) => element === { a, b, c }[order[number]])
                result[order.join('')] = isSame && document.activeElement === b && b.value === 'typed'
            }
            // An element of another tag is another element, although its key is the same.
            patchChildren(place, [h('p', { 'data-key': 'b' }, 'x'), h('p', {}, 'y')])
            result.otherTag = place.children.length === 2 && place.firstChild.nodeName === 'P'
            const [, second] = place.children
            patchChildren(place, [h('p', { class: 'z', onclick: () => { result.clicked = true } }, '<b>')])
            result.text = place.innerHTML
            result.isKept = place.firstChild === second
            second.click()
            patchChildren(place, [h('div', { 'data-own-content': true, class: 'one' })])
            const own = place.firstChild
            own.append(h('canvas'))
            patchChildren(place, [h('div', { 'data-own-content': true, class: 'two' })])
            result.own = place.firstChild === own && own.className === 'two' && own.children.length === 1
            // What a person opened stays open, and what they chose stays until another choice is drawn.
            const choice = chosen => h('select', {}, ['x', 'y', 'z'].map(value => h('option', { value, selected: value === chosen }, value)))
            patchChildren(place, [h('details', {}, h('summary', {}, 's')), choice('x')])
            const [details, select] = place.children
            details.open = true
            select.value = 'z'
            patchChildren(place, [h('details', {}, h('summary', {}, 's')), choice('x')])
            result.open = details.open && place.firstChild === details && select.value === 'z'
            patchChildren(place, [h('details', {}, h('summary', {}, 's')), choice('y')])
            result.chosen = select.value === 'y'
            place.remove()
            return result
            """)
        #expect(
            found == [
                "bac": true, "bca": true, "cab": true, "chosen": true, "clicked": true, "isKept": true, "open": true,
                "otherTag": true,
                "own": true, "text": #"<p class="z">&lt;b&gt;</p>"#,
            ], "\(found)")
    }

    @Test("Every icon that a module names is in the sprite, and every icon of the sprite has a shape")
    func icons() throws {
        let sprite = try String(contentsOf: Self.folder.appending(path: "icons.svg"), encoding: .utf8)
        var named: Set<String> = []
        for pattern in [
            #"\bicon\('([^']+)'"#, #"\bicon(?:Name)?: '([^']+)'"#, #"\bicon(?:Name)?: [^'\n,]+ \? '([^']+)'"#,
            #"\bicon\([^'\n(]+ \? '([^']+)'"#, #"\['(?:good|warning|neutral|bad)', '([^']+)'"#, #"badge\([^,]+, '([^']+)'"#,
        ] { named.formUnion(try Self.matches(pattern)) }
        #expect(named.count > 12)
        for icon in named { #expect(sprite.contains("<symbol id=\"\(icon)\""), "no icon '\(icon)'") }
        for symbol in sprite.components(separatedBy: "<symbol ").dropFirst() {
            #expect(symbol.contains("viewBox=\"0 0 24 24\"") && symbol.contains("/>"), "\(symbol.prefix(60))")
        }
        // The icons that the page uses.
        let missing = try bench.browser.evaluate(
            """
            return [...document.querySelectorAll('svg.icon use')].map(use => use.getAttribute('href').slice(1))
                .filter(id => !document.getElementById(id))
            """)
        #expect(missing == [])
    }

    @Test("Texts have the form for their number, and are in the preferred language as soon as its catalog is loaded")
    func texts() throws {
        let found = try run(
            "translate.js",
            """
            const { loadCatalog, formOf } = await import('/dashboard/catalog.js')
            const { language, setPreference } = await import('/dashboard/preferences.js')
            const texts = () => [language(), module.t('Loaded {age}.', { age: 'now' }), module.t('‘{name}’', { name: 'a' }),
                ...[0, 1, 1234].map(count => module.tn(count, '{count} failure', '{count} failures in a row'))]
            const english = texts()
            const change = setPreference('language', 'tr')
            const meanwhile = texts()
            await change
            const turkish = texts()
            await loadCatalog('xx')
            // Three forms, as in Polish.
            const forms = [...Array(200).keys()].map(n => n === 1 ? 0 : n % 10 >= 2 && n % 10 <= 4 && (n % 100 < 10 || n % 100 >= 20) ? 1 : 2)
            const polish = [0, 1, 2, 5, 22, 101, 112, 1000, 1001, 12345672].map(n => formOf(['one', 'few', 'many'], n, { forms }))
            return { english, meanwhile, turkish, polish, marked: module.text('x') }
            """)
        let english: JSONValue = ["en", "Loaded now.", "‘a’", "0 failures in a row", "1 failure", "1,234 failures in a row"]
        #expect(found["english"] == english && found["meanwhile"] == english)
        #expect(found["turkish"] == ["tr", "Yüklenme: now.", "‘a’", "0 hata", "1 hata", "Art arda 1.234 hata"])
        #expect(found["polish"] == ["many", "one", "few", "many", "few", "many", "many", "many", "many", "few"])
        #expect(found["marked"] == "x")
    }

    // MARK: - Repair and simulation

    @Test("A repair shows the outcome of each operation, the first untried one as running, and unplanned ones at the end")
    func progress() throws {
        let found = try run(
            "repair-progress.js",
            """
            const step = (operation, identifier, outcome) => ({ operation, identifier, outcome })
            const plan = [step('start', 'a', 'planned'), step('start', 'b', 'planned'), step('stop', 'c', 'planned')]
            const outcomes = tried => module.withProgress(plan, tried).map(row => `${row.operation} ${row.identifier} ${row.outcome}`)
            return [outcomes([]), outcomes([step('start', 'a', 'done')]), outcomes([step('start', 'a', 'failed'), step('start', 'a', 'done'),
                step('start', 'b', 'done'), step('stop', 'c', 'failed'), step('requestState', 'a', 'done')])]
            """)
        #expect(
            found == [
                ["start a running", "start b planned", "stop c planned"], ["start a done", "start b running", "stop c planned"],
                ["start a done", "start b done", "stop c failed", "requestState a done"],
            ])
    }

    @Test("Buttons of a simulated phone name the chosen region, or any, and give new regions new names")
    func simulator() throws {
        let found = try run(
            "simulator-actions.js",
            """
            const region = identifier => ({ identifier, latitude: 52, longitude: 13 })
            const regions = [region('picket/home'), region('picket/old-3')]
            const bodies = (regions, chosen) => Object.fromEntries(['regions', 'extra', 'phone'].flatMap(group =>
                module.actionsFor(regions, chosen)[group].map(action => [action.name, action.body()])))
            return { chosen: bodies(regions, 'picket/home'), gone: bodies(regions, 'picket/school').drop, empty: bodies([]),
                location: module.actionsFor([]).location(true).body(), precise: module.actionsFor([]).precise(false).body() }
            """)
        let chosen = found["chosen"]
        #expect(chosen?["drop"] == ["action": "drop", "identifiers": ["picket/home"]])
        #expect(chosen?["dropThree"] == ["action": "drop", "count": JSONValue(3)])
        #expect(chosen?["zombify"] == ["action": "fail", "fault": "zombify", "identifier": "picket/home"])
        #expect(chosen?["addOrphan"]?["identifier"] == "old-4")
        #expect(found["gone"] == ["action": "drop", "count": JSONValue(1)])
        #expect(found["empty"]?["addForeign"]?["identifier"] == "com.example.ads/1")
        #expect(found["location"] == ["action": "location", "enabled": false])
        #expect(found["precise"] == ["action": "set", "setting": "precise", "value": "on"])
    }
}
