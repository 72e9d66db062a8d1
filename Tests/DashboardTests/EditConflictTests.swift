import Model
import TestSupport
import Testing

@Suite(
    "Edit conflicts", .timeLimit(browserTimeLimit), .inBrowser,
    .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct EditConflictTests {
    @Test(
        "A change by someone else during typing is shown with its differences, and either version can be kept",
        arguments: [true, false])
    func live(keepsMine: Bool) throws {
        let editing = try EditingBench()
        try editing.open()
        try editing.change("home")
        try editing.fill("#edit-name", "Mine")
        // About 111 meters to the north.
        try editing.bench.run("geofence", "edit", "home", "--circle", "52.501,13.4,250")
        try editing.bench.wait("#edit-conflict", contains: "Home")
        try editing.bench.wait("#edit-conflict [data-difference=moved]", contains: "111 m")
        try editing.bench.wait("#edit-conflict [data-difference=radius]", contains: "100 m → 250 m")
        try editing.bench.wait("#edit-conflict [data-difference=name]", contains: "‘Home’ → ‘Mine’")
        if keepsMine {
            try editing.click("#keep-mine")
            try editing.bench.waitForNone("#edit-conflict")
            #expect(try editing.value("#edit-name") == "Mine" && editing.value("#edit-radius") == "250")
            #expect(try editing.stored("home")?["name"] == "Home", "nothing is saved that nobody asked to save")
            try editing.save()
            let home = try #require(try editing.stored("home"))
            #expect(home["name"] == "Mine" && home["radius"]?.double == 250 && home["latitude"]?.double == 52.501)
        } else {
            try editing.click("#use-theirs")
            try editing.bench.waitForNone("#edit-conflict")
            #expect(try editing.value("#edit-name") == "Home" && editing.value("#edit-radius") == "250")
            // What was typed can be brought back.
            try editing.click("#bring-back")
            #expect(try editing.value("#edit-name") == "Mine" && editing.value("#edit-radius") == "250")
            try editing.click("#cancel-edit")
            #expect(try editing.stored("home")?["name"] == "Home")
        }
        #expect(try editing.errors() == [])
    }

    @Test("A change by someone else is adopted when the person has changed nothing")
    func quiet() throws {
        let editing = try EditingBench()
        try editing.open()
        try editing.change("home")
        try editing.bench.run("geofence", "edit", "home", "--name", "House")
        try editing.browser.wait(until: "document.querySelector('#edit-name').value == 'House'")
        try editing.bench.waitForNone("#edit-conflict")
    }

    @Test("A save never overwrites an unseen change, and can be repeated on top of it")
    func whileSaving() throws {
        let editing = try EditingBench()
        try editing.open()
        try editing.change("home")
        try editing.fill("#edit-radius", "300")
        // The page is not notified of the change.
        try editing.browser.evaluate(
            """
            const ask = window.fetch
            window.fetch = (path, options) => options.method === 'GET' && path === '/v1/geofences/home' && !window.isSaving
                ? new Promise(() => {}) : ask(path, options)
            document.querySelector('#save-geofence').addEventListener('click', () => { window.isSaving = true })
            """)
        try editing.bench.run("geofence", "edit", "home", "--name", "House", "--priority", "3")
        try editing.click("#save-geofence")
        try editing.bench.wait("#edit-conflict [data-difference=name]", contains: "‘Home’ → ‘House’")
        try editing.bench.wait("#edit-conflict [data-difference=radius]", contains: "300 m")
        #expect(try editing.stored("home")?["radius"]?.double == 100)
        try editing.click("#keep-mine")
        try editing.bench.wait("#edit-geofence")
        let home = try #require(try editing.stored("home"))
        #expect(home["radius"]?.double == 300 && home["name"] == "House" && home["priority"]?.double == 3)
        #expect(try editing.errors(expecting: 412) == [])
    }

    @Test("A geofence that someone else deleted is created again with all its fields")
    func deleted() throws {
        let editing = try EditingBench { picket in
            try picket.run("geofence", "edit", "home", "--groups", "family", "--dwell", "90")
        }
        try editing.open()
        let before = try #require(try editing.stored("home"))
        try editing.change("home")
        try editing.fill("#edit-name", "Mine")
        try editing.bench.run("geofence", "remove", "home")
        try editing.bench.wait("#edit-conflict", contains: "removed")
        try editing.click("#keep-mine")
        try editing.bench.wait("#edit-geofence")
        #expect(try editing.stored("home") == before.merged(with: ["name": "Mine"]))
        #expect(try editing.errors(expecting: 404) == [])
    }

    @Test("Typed text stays during an outage, the reason is shown, and it is saved when the service is back")
    func outage() throws {
        let editing = try EditingBench()
        try editing.open()
        try editing.change("home")
        try editing.fill("#edit-name", "Later")
        editing.bench.stop()
        try editing.bench.wait("#offline.shown")
        try editing.bench.wait("#edit-read-only", contains: "unreachable")
        #expect(try editing.browser.find("#save-geofence").attribute("aria-disabled") == "true")
        try editing.fill("#edit-radius", "150")
        try editing.bench.start()
        try editing.bench.waitForNone("#offline.shown")
        #expect(try editing.value("#edit-name") == "Later" && editing.value("#edit-radius") == "150")
        try editing.save()
        let home = try #require(try editing.stored("home"))
        #expect(home["name"] == "Later" && home["radius"]?.double == 150)
    }

    @Test("Typed text stays during a new sign-in, and a reader can change nothing")
    func signIn() throws {
        var secrets: [String: String] = [:]
        let editing = try EditingBench { picket in
            for role in ["admin", "reader"] {
                let made = try picket.run("token", "create", role, "--role", role, "--json")
                secrets[role] = try JSONParser.parse(made.output)["secret"]?.string
            }
        }
        let (admin, reader) = (try #require(secrets["admin"]), try #require(secrets["reader"]))
        try editing.bench.open("#/map")
        try editing.signIn(admin)
        try editing.open()
        try editing.change("home")
        try editing.fill("#edit-name", "Signed")
        try editing.browser.devTools("Network.clearBrowserCookies")
        // A request of the page itself may have opened the sign-in form already.
        try editing.browser.evaluate("document.querySelector('#save-geofence').click()")
        try editing.signIn(admin)
        #expect(try editing.value("#edit-name") == "Signed")
        try editing.save()
        #expect(try editing.stored("home")?["name"] == "Signed")

        try editing.browser.devTools("Network.clearBrowserCookies")
        try editing.browser.reload()
        try editing.signIn(reader)
        try editing.open()
        try editing.select("home")
        for id in ["draw-circle", "draw-polygon", "edit-geofence", "toggle-geofence", "delete-geofence"] {
            let button = try editing.browser.find("#" + id)
            #expect(try button.attribute("aria-disabled") == "true", "\(id)")
            #expect(try button.attribute("title")?.contains("can only read") == true, "\(id)")
            try button.click()
        }
        try editing.bench.waitForNone("#edit-form")
        try editing.bench.waitForNone("#confirm-deletion")
        #expect(try editing.stored("home")?["isActive"] == true)
    }
}
