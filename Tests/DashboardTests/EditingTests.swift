import Geodesy
import Geometry
import Model
import TestSupport
import Testing

@Suite(
    "Drawing geofences on the map", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct EditingTests {
    @Test(
        "A circle drawn from its center has its true size on the ground, in Berlin and in the far north",
        arguments: [
            (Browser.Pointer.mouse, 52.5, 13.4, 16), (.touch, 52.5, 13.4, 16), (.mouse, 78.2, 15.6, 9), (.mouse, -17, 180, 9),
        ])
    func drawCircle(_ pointer: Browser.Pointer, _ latitude: Double, _ longitude: Double, _ zoom: Int) throws {
        let editing = try EditingBench(screen: pointer == .touch ? .tablet : .desktop)
        try editing.open()
        let map = try editing.show(Coordinate(latitude: latitude, longitude: longitude), zoom: zoom)
        try editing.click("#draw-circle")
        try editing.bench.wait("#edit-form")
        let seesRadius = { try editing.bench.wait(".edit-label", contains: "m") }
        try editing.browser.drag(
            from: map.point(20, -30), to: map.point(110, 40), with: pointer, beforeRelease: pointer == .mouse ? seesRadius : nil)
        try editing.bench.wait("[data-handle=edge]")
        try editing.fill("#edit-name", "Drawn")
        try editing.save()
        let circle = try #require(try editing.stored("drawn"))
        let (center, edge) = (map.place(20, -30), map.place(110, 40))
        let pixel = map.metersPerPixel
        #expect(Geodesic.distance(circle.center, center) < 1.5 * pixel, "\(circle)")
        #expect(abs(try #require(circle["radius"]?.double) - Geodesic.distance(center, edge)) < 2 * pixel, "\(circle)")
        #expect(abs(circle.center.longitude) <= 180)
        #expect(try editing.errors() == [])
    }

    @Test("The editor opens for a geofence that another view has loaded, and the other view still shows it afterward")
    func otherView() throws {
        let editing = try EditingBench()
        let bench = editing.bench
        try bench.open("#/events?geofence=home")
        try bench.wait("#chips [data-key=geofence]", contains: "Home")
        try bench.browser.evaluate("location.hash = '#/map/geofence/home/edit'")
        try bench.wait("#edit-form")
        #expect(try bench.browser.find("#edit-name").property("value") == "Home")
        try editing.click("#cancel-edit")
        try bench.wait("#edit-geofence")
        try bench.browser.evaluate("location.hash = '#/events?geofence=home'")
        try bench.wait("#chips [data-key=geofence]", contains: "Home")
        #expect(try editing.errors() == [])
    }

    @Test("A polygon is drawn corner by corner, and closed in four ways", arguments: ["first", "Enter", "double", "button"])
    func drawPolygon(_ way: String) throws {
        let editing = try EditingBench()
        try editing.open()
        let map = try editing.show()
        try editing.click("#draw-polygon")
        try editing.bench.wait("#edit-form")
        let corners: [(Double, Double)] = [(-150, -100), (120, -130), (140, 90)]
        func click(_ corner: (Double, Double), times: Int = 1) throws {
            try editing.browser.click(at: map.point(corner.0, corner.1), times: times)
        }
        func waitForCorners(_ count: Int) throws {
            try editing.browser.wait(
                until: "document.querySelector('#edit-ring-0-0').value.split('\\n').filter(Boolean).length == arguments[0]",
                JSONValue(count))
        }
        for (number, corner) in corners.dropLast().enumerated() {
            try click(corner)
            try waitForCorners(number + 1)
        }
        // A wrong corner is removed again.
        try click((0, 200))
        try waitForCorners(3)
        try editing.browser.press(.backspace)
        try waitForCorners(2)
        try click(corners[2], times: way == "double" ? 2 : 1)
        try waitForCorners(3)
        switch way {
        case "first": try click((-147, -98))
        case "Enter": try editing.browser.press(.enter)
        case "button": try editing.click("#finish-polygon")
        default: break
        }
        try editing.bench.waitForNone("#finish-polygon")
        try editing.fill("#edit-name", "Park")
        try editing.save()
        let stored = try #require(try editing.stored("park")).corners()
        #expect(stored.count == 3)
        for (corner, place) in zip(corners, stored) {
            #expect(Geodesic.distance(map.place(corner.0, corner.1), place) < 1.5 * map.metersPerPixel)
        }
        #expect(try editing.errors() == [])
    }

    @Test("Escape cancels the drag, then the corners, then the tool")
    func escape() throws {
        let editing = try EditingBench()
        try editing.open()
        let map = try editing.show()
        try editing.click("#draw-circle")
        try editing.browser.drag(from: map.point(0, 0), to: map.point(90, 0)) {
            try editing.bench.wait("[data-handle=edge]")
            try editing.browser.press(.escape)
            try editing.bench.waitForNone("[data-handle=edge]")
        }
        #expect(try editing.value("#edit-radius") == "")
        try editing.browser.press(.escape)
        try editing.bench.waitForNone("#edit-form")
        try editing.click("#draw-polygon")
        try editing.browser.click(at: map.point(-60, 0))
        try editing.browser.wait(until: "document.querySelector('#edit-ring-0-0').value != ''")
        try editing.browser.press(.escape)
        try editing.browser.wait(until: "document.querySelector('#edit-ring-0-0').value == ''")
        try editing.browser.press(.escape)
        try editing.bench.waitForNone("#edit-form")
        #expect(try editing.bench.picket.run("geofence", "list").output.contains("home"))
    }

    @Test("A circle and a polygon are made with the keyboard alone, and a circle is moved by its handles")
    func keyboard() throws {
        let editing = try EditingBench()
        try editing.open()
        let browser = editing.browser
        func type(_ text: String) throws { for character in text { try browser.press(BrowserKey(character)) } }
        func tab() throws { try browser.press(.tab) }
        try browser.evaluate("document.querySelector('#draw-circle').focus()")
        try browser.press(.enter)
        try browser.wait(until: "document.activeElement.id == 'edit-title'")
        for text in ["Shed", "52.51", "13.41", "80"] {
            try tab()
            try type(text)
        }
        // Phones monitor such a small region badly.
        try editing.bench.wait("#edit-radius-warning", contains: "100 m")
        try browser.press(.enter)
        try editing.bench.wait("#edit-geofence")
        let shed = try #require(try editing.stored("shed"))
        #expect(shed.center == Coordinate(latitude: 52.51, longitude: 13.41) && shed["radius"]?.double == 80)

        try browser.wait(until: "document.activeElement.id == 'edit-geofence'")
        try browser.press(.enter)
        try editing.bench.wait("[data-handle=center]")
        try browser.evaluate("document.querySelector('[data-handle=center]').focus()")
        try browser.press(.up)
        try browser.wait(until: "Number(document.querySelector('#edit-latitude').value) > 52.51")
        try browser.evaluate("document.querySelector('[data-handle=edge]').focus()")
        try browser.press(.right)
        try browser.wait(until: "Number(document.querySelector('#edit-radius').value) > 80")
        try editing.save()

        try browser.evaluate("document.querySelector('#draw-polygon').focus()")
        try browser.press(.enter)
        try browser.wait(until: "document.activeElement.id == 'edit-title'")
        try browser.evaluate("document.querySelector('#edit-name').focus()")
        try type("Lawn")
        try tab()
        try type("52.5, 13.4\n52.5, 13.41\n52.51, 13.41")
        try browser.evaluate("document.querySelector('#save-geofence').focus()")
        try browser.press(.space)
        try editing.bench.wait("#edit-geofence")
        #expect(try editing.stored("lawn")?.corners().count == 3)
        #expect(try editing.errors() == [])
    }

    @Test("While a circle is drawn, overlaps found by the service are shown, with one request at a time")
    func overlaps() throws {
        let editing = try EditingBench { picket in
            try picket.run("geofence", "add", "--id", "city", "--name", "City", "--circle", "52.5,13.4,5000")
            try picket.run("geofence", "add", "--id", "shop", "--name", "Shop", "--circle", "52.5,13.403,100")
        }
        try editing.open()
        let map = try editing.show()
        try editing.browser.evaluate(
            """
            window.underWay = 0; window.most = 0; window.asked = 0
            const ask = window.fetch
            window.fetch = async (path, ...rest) => {
                if (!String(path).startsWith('/v1/geofences:overlaps')) return ask(path, ...rest)
                window.asked += 1
                window.most = Math.max(window.most, ++window.underWay)
                try { return await ask(path, ...rest) } finally { window.underWay -= 1 }
            }
            """)
        try editing.click("#draw-circle")
        // The circle contains home, of 100 meters, and overlaps the shop's circle.
        let reach = 150 / map.metersPerPixel
        try editing.browser.drag(from: map.point(0, 0), to: map.point(reach, 0)) {
            try editing.bench.wait("#edit-overlaps [data-relation=contains]", contains: "Home")
            try editing.bench.wait("#edit-overlaps [data-relation=within]", contains: "City")
            try editing.bench.wait("#edit-overlaps [data-relation=overlaps]", contains: "Shop")
            try editing.bench.wait(".edit-readout", contains: "Home")
        }
        #expect(try editing.browser.evaluate("return most").double == 1)
        #expect(try editing.browser.evaluate("return asked").double ?? 0 >= 1)
        try editing.fill("#edit-name", "Block")
        try editing.save()
        // The stored geofence has the same overlaps as the draft.
        let said = try editing.bench.picket.run("geofence", "overlaps", "block", "--json").lines.map(JSONParser.parse)
        #expect(
            Set(said.map { "\($0["b"]?.string ?? "") \($0["relation"]?.string ?? "")" }) == [
                "home contains", "city within", "shop overlaps",
            ])
        try editing.bench.waitForNone("#edit-overlaps li")
        #expect(try editing.errors() == [])
    }
}
