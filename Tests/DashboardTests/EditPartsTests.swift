import Model
import TestSupport
import Testing

/// Tests the parts of the editor that do not use the page, in a browser because nothing else here can run them.
@Suite(
    "Parts of the geofence editor", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct EditPartsTests {
    private let bench: DashboardBench

    init() throws {
        bench = try DashboardBench()
        try bench.open()
        try bench.browser.wait(until: "document.querySelector('#top a')")
    }

    /// Runs a script with the modules, which returns true when all is well.
    private func evaluate(_ script: String) throws -> JSONValue {
        try bench.browser.evaluate(
            """
            const D = await import('/dashboard/edit-draft.js')
            const O = await import('/dashboard/edit-outline.js')
            const { differencesOf } = await import('/dashboard/edit-differences.js')
            const { newestOnly } = await import('/dashboard/newest-only.js')
            const home = { id: 'home', name: 'Home', latitude: 52.5, longitude: 13.4, radius: 100, isActive: true, priority: 0,
                triggers: ['enter'], dwell: 100, policy: 'exact' }
            \(script)
            """)
    }

    @Test("Only changed fields are sent, and values shown in other words stay")
    func changes() throws {
        let found = try evaluate(
            """
            const draft = D.draftOf(home, 't')
            const small = D.withTyped(draft, { radius: '250,5' })
            const wrong = D.withTyped(small, { radius: 'x' })
            return [D.changesOf(draft), D.isChanged(draft), D.changesOf(small), wrong.shape.radius, D.flawsOf(wrong).map(({ field }) => field),
                D.changesOf(D.withTyped(draft, { dwell: '' })), D.bodyOf(small).dwell, D.bodyOf(small).policy]
            """)
        #expect(
            found == [
                [:], false, ["radius": .number("250.5")], .number("250.5"), ["radius"], ["dwell": .null], JSONValue(100), "exact",
            ])
    }

    @Test("Changes are applied on top of what someone else has saved, field by field")
    func rebase() throws {
        let found = try evaluate(
            """
            const theirs = { ...home, name: 'House', latitude: 52.6, radius: 150 }
            const mine = D.withTyped(D.draftOf(home, 't'), { radius: '200' })
            return [D.changesOf(D.rebased(mine, theirs, 'u')), D.rebased(mine, theirs, 'u').typed.name,
                differencesOf(home, theirs, () => 11132).map(({ kind }) => kind)]
            """)
        #expect(found == [["radius": JSONValue(200)], "House", ["name", "moved", "radius"]])
    }

    @Test("Outlines cross the antimeridian, keep their holes, and lose a hole without corners")
    func outlines() throws {
        let found = try evaluate(
            """
            const geometry = { type: 'Polygon', coordinates: [[[179, 1], [181, 1], [181, 2], [179, 2], [179, 1]],
                [[179.5, 1.2], [180.5, 1.2], [180, 1.5], [179.5, 1.2]]] }
            const parts = O.partsOf(geometry)
            const same = JSON.stringify(O.geometryOf(O.canonical(O.turned(parts, -360)))) === JSON.stringify(geometry)
            const draft = D.withTyped(D.draftOf({ id: 'p', name: 'P', geometry }, 't'), { rings: [['1 179\\n1 181\\n2 181', '']] })
            return [same, D.bodyOf(draft).geometry.coordinates.length, O.wrapped(181), O.wrapped(-541),
                O.canRemove([[[1, 2, 3]]], { part: 0, ring: 0, corner: 0 }), O.pairOf('52,5163 13,3777'), O.pairOf('52.5163, 13.3777'), O.pairOf('52.5')]
            """)
        let pair: JSONValue = [.number("52.5163"), .number("13.3777")]
        #expect(found == [true, JSONValue(1), JSONValue(-179), JSONValue(179), false, pair, pair, .null])
    }

    @Test("One question is asked at a time, the newest next, and outdated answers are ignored")
    func newestOnly() throws {
        let found = try evaluate(
            """
            const asked = [], received = [], waiting = []
            const questions = newestOnly({
                ask: (question) => new Promise(resolve => { asked.push(question); waiting.push(() => resolve(question)) }),
                onAnswer: (answer) => received.push(answer), onFailure: (failure) => received.push(String(failure)), later: (action) => action(),
            })
            const answer = async () => { waiting.shift()(); await new Promise(resolve => setTimeout(resolve)) }
            for (const question of [1, 2, 3]) questions.ask(question)
            const before = [...asked]
            await answer()
            const after = [...asked]
            questions.cancel()
            await answer()
            questions.ask(4)
            await answer()
            return [before, after, asked, received]
            """)
        let (one, two) = (JSONValue(1), [JSONValue(1), JSONValue(3)] as JSONValue)
        #expect(found == [[one], two, [one, JSONValue(3), JSONValue(4)], [one, JSONValue(4)]])
    }

    @Test(
        "No accessibility rule is broken while a geofence is drawn, changed, in conflict and deleted, in both languages",
        .enabled("axe-core is not there; tools/axe-core fetches it") { AxeCore.isInstalled })
    func accessibility() throws {
        for (scheme, screen, locale) in [(Browser.ColorScheme.light, BrowserScreen.desktop, "en-US"), (.dark, .phone, "tr-TR")] {
            let editing = try EditingBench(screen: screen)
            try editing.browser.emulate(locale: locale)
            try editing.browser.emulate(colorScheme: scheme, reducedMotion: true)
            func check(_ what: String) throws {
                let violations = try editing.browser.accessibilityViolations()
                #expect(violations.isEmpty, "\(what), \(scheme): \(violations)")
            }
            try editing.open()
            _ = try editing.show()
            try editing.click("#draw-polygon")
            try editing.bench.wait("#edit-form")
            try editing.click("#save-geofence")
            try editing.bench.wait("#edit-name-error")
            try check("drawing")
            try editing.click("#cancel-edit")
            try editing.change("home")
            try editing.bench.wait("[data-handle=edge]")
            try editing.fill("#edit-name", "Mine")
            try editing.bench.run("geofence", "edit", "home", "--name", "Theirs")
            try editing.bench.wait("#edit-conflict")
            try check("in conflict")
            try editing.click("#cancel-edit")
            try editing.click("#delete-geofence")
            try editing.bench.wait("#confirm-deletion")
            try check("deleting")
            // A missing text causes an error.
            #expect(try editing.errors() == [])
        }
    }
}
