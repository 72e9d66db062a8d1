import Foundation
import Geodesy
import Geometry
import Model
import TestSupport
import Testing

@Suite(
    "Map of the dashboard", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct MapTests {
    private static let dangerousName = "<img src=x onerror=alert(1)>"

    /// Creates a circle, an inactive circle, and a square with a hole.
    private static func fences(_ picket: Program) throws {
        try picket.run("geofence", "add", "--id", "home", "--name", dangerousName, "--circle", "52.52,13.40,150")
        try picket.run("geofence", "add", "--id", "old", "--name", "Old depot", "--circle", "52.53,13.42,200", "--inactive")
        let square = """
            {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"park","name":"Park"},"geometry":{"type":"Polygon",
            "coordinates":[[[13.38,52.51],[13.39,52.51],[13.39,52.516],[13.38,52.516],[13.38,52.51]],
            [[13.384,52.512],[13.386,52.512],[13.386,52.514],[13.384,52.514],[13.384,52.512]]]}}]}
            """
        let directory = try TemporaryDirectory()
        let file = directory.path + "/park.geojson"
        try square.write(toFile: file, atomically: true, encoding: .utf8)
        try picket.run("geofence", "import", file)
    }

    /// Sends a position of a device, a few seconds old, to the service.
    private static func report(
        _ device: String, _ latitude: Double, _ longitude: Double, secondsAgo: Double = 0, to bench: DashboardBench
    ) throws {
        let time = Date().timeIntervalSince1970 - secondsAgo
        let body: JSONValue = [
            "device": .string(device), "latitude": JSONValue(latitude), "longitude": JSONValue(longitude),
            "accuracy": JSONValue(5),
            "timestamp": JSONValue(time),
        ]
        let answer = try RawConnection(port: bench.port).send("POST", "/v1/positions", body: body.description)
        #expect(answer?.status == 200)
    }

    /// The value of an expression of the map's state, `state`.
    private static func state(_ expression: String, of bench: DashboardBench) throws -> JSONValue {
        try bench.browser.evaluate("const { mapState: state } = await import('/dashboard/map-state.js'); return \(expression)")
    }

    private static func show(_ latitude: Double, _ longitude: Double, zoom: Int, on bench: DashboardBench) throws {
        _ = try state("Boolean(state.map.setView([\(latitude), \(longitude)], \(zoom), { animate: false }))", of: bench)
    }

    /// The number of drawn pixels in a layer.
    private static func drawnPixels(_ pane: String, of bench: DashboardBench) throws -> Int {
        let count = try bench.browser.evaluate(
            """
            const canvas = document.querySelector(`.leaflet-${arguments[0]}-pane canvas`)
            await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
            let count = 0
            for (let index = 3; index < data.length; index += 4) if (data[index]) count += 1
            return count
            """, .string(pane))
        return Int(count.double ?? 0)
    }

    @Test("The map draws geofences without requests to other hosts, and shows names as text")
    func plain() throws {
        let bench = try DashboardBench(Self.fences)
        try bench.open("#/map")
        try bench.wait("#map-geofences [data-geofence=home]", contains: Self.dangerousName)
        try bench.wait("#map-geofences [data-geofence=old]", contains: "Inactive")
        #expect(try Self.drawnPixels("background", of: bench) > 10_000)
        #expect(try Self.drawnPixels("fences", of: bench) > 100)
        try bench.browser.find("#map-geofences [data-geofence=home] button").click()
        try bench.wait("#map-details", contains: Self.dangerousName)
        try bench.wait("#map-details", contains: "radius 150")
        #expect(try bench.browser.all("#main img[src=x]").isEmpty)
        let requests = try bench.browser.requests()
        #expect(
            requests.contains { $0.hasSuffix("/dashboard/world.json") } && requests.allSatisfy { $0.hasPrefix(bench.url) },
            "\(requests)")
        #expect(try bench.consoleErrors().isEmpty)
    }

    @Test("The search finds geofences through the service and devices by name or ID, by keyboard, and goes there")
    func search() throws {
        let bench = try DashboardBench { picket in
            try Self.fences(picket)
            try picket.run("device", "add", "anna", "--name", "Anna’s phone")
        }
        try Self.report("anna", 52.60, 13.60, to: bench)
        try bench.open("#/map")
        let field = try bench.browser.find("#map-search")
        try field.type("img src")
        try bench.wait("#map-results [data-geofence=home]")
        try field.clear()
        try field.type("nothing like it")
        try bench.wait("#map-results", contains: "No geofence or device")
        #expect(try bench.browser.all("#map-addresses").isEmpty)
        try field.clear()
        try field.type("anna")
        try bench.wait("#map-results [data-device=anna]", contains: "Anna’s phone")
        try bench.browser.press(.enter)
        try bench.wait("#map-details-title", contains: "Anna’s phone")
        try bench.browser.wait(until: "document.activeElement.id === 'map-details-title'")
        _ = try Self.state("Boolean(window.shownMap = state.map)", of: bench)
        try bench.browser.wait(
            until: "Math.abs(shownMap.getCenter().lat - 52.6) < 0.01 && Math.abs(shownMap.getCenter().lng - 13.6) < 0.01")
        #expect(try bench.consoleErrors().isEmpty)
    }

    @Test("With a geocoder, an address is searched on request only, and a chosen place is shown")
    func addresses() throws {
        let endpoint = try ScriptedEndpoint.geocoder()
        let bench = try DashboardBench(options: ["--geocoder", endpoint.url], Self.fences)
        try bench.open("#/map")
        let field = try bench.browser.find("#map-search")
        try field.type("Unter den Linden")
        try bench.wait("#map-addresses button", contains: "Search for an address")
        #expect(endpoint.requests.isEmpty)
        try bench.browser.press(.enter)
        try bench.wait("#map-addresses li", contains: "Unter den Linden, Germany")
        try bench.wait("#map-addresses", contains: "© OpenStreetMap contributors")
        _ = try Self.state("Boolean(window.shownMap = state.map)", of: bench)
        #expect(endpoint.requests.count == 1)
        try bench.browser.press(.enter)
        try bench.browser.wait(
            until: "Math.abs(shownMap.getCenter().lat - 52.51) < 0.01 && Math.abs(shownMap.getCenter().lng - 13.39) < 0.01")
        try bench.browser.wait(until: "document.activeElement.id === 'map-search' && document.activeElement.value === ''")
        try field.type("nowhere")
        try bench.wait("#map-addresses button")
        try bench.browser.press(.enter)
        try bench.wait("#map-addresses", contains: "No address or place was found.")
        #expect(try bench.consoleErrors().isEmpty)
        try field.clear()
        endpoint.script { _, _ in .answer(500, body: "out of order") }
        try field.type("elsewhere")
        try bench.wait("#map-addresses button", contains: "Search for an address")
        try bench.browser.press(.enter)
        try bench.wait("#map-addresses .problem-title", contains: "Geocoder failed")
    }

    @Test("When the searched text changes, the failure of the search before is not shown, and the next search waits for its end")
    func changedAddress() throws {
        let isTyped = DispatchSemaphore(value: 0)
        let endpoint = try ScriptedEndpoint { _, number in
            if number == 0 {
                isTyped.wait()
                return .answer(400, body: "refused")
            }
            return .answer(200, body: #"[{"lat":"52.51","lon":"13.39","display_name":"Second Street"}]"#)
        }
        let bench = try DashboardBench(options: ["--geocoder", endpoint.url], Self.fences)
        try bench.open("#/map")
        let field = try bench.browser.find("#map-search")
        try field.type("first")
        try bench.wait("#map-addresses button", contains: "Search for an address")
        try bench.browser.press(.enter)
        #expect(endpoint.wait(for: 1))
        try field.clear()
        try field.type("second")
        try bench.browser.wait(
            until: "performance.getEntriesByType('resource').some(({ name }) => name.includes('matching=second'))")
        try bench.wait("#map-addresses button[aria-disabled=true]")
        isTyped.signal()
        try bench.wait("#map-addresses button:not([aria-disabled=true])")
        #expect(try bench.browser.all("#map-addresses .problem-title").isEmpty)
        try bench.browser.press(.enter)
        try bench.wait("#map-addresses li", contains: "Second Street")
    }

    @Test("A device moves and a transition is shown live, without another request for the devices")
    func live() throws {
        let bench = try DashboardBench { picket in
            try Self.fences(picket)
            try picket.run("device", "add", "anna", "--name", "Anna")
        }
        try Self.report("anna", 52.50, 13.40, secondsAgo: 1200, to: bench)
        try bench.open("#/map/device/anna")
        try bench.wait("#map-details [data-fact=place]", contains: "52.50000, 13.40000")
        try bench.wait(".map-view[data-live]")
        try Self.report("anna", 52.5004, 13.4004, secondsAgo: 900, to: bench)
        try bench.wait("#map-details [data-fact=place]", contains: "52.50040, 13.40040")
        // The second position confirms the first, which is far from those before.
        try Self.report("anna", 52.52, 13.40, secondsAgo: 300, to: bench)
        try Self.report("anna", 52.5201, 13.40, to: bench)
        try bench.browser.find("#map-details [data-key=close]").click()
        try bench.wait("#map-feed [data-type=enter]", contains: "Anna entered \(Self.dangerousName)")
        try bench.wait("#announcer", contains: "Anna entered")
        try Self.show(52.52, 13.40, zoom: 15, on: bench)
        try bench.wait("#map-geofences [data-geofence=home]", contains: "1 device inside")
        #expect(try Self.drawnPixels("states", of: bench) > 1000)
        #expect(try Self.drawnPixels("devices", of: bench) > 50)
        #expect(try bench.consoleErrors().isEmpty)
    }

    @Test("The stream is reopened for the area in view, without counting as a lost connection")
    func area() throws {
        let bench = try DashboardBench(Self.fences)
        try bench.open("#/map/geofence/home")
        try bench.wait("#map-details-title", contains: Self.dangerousName)
        try bench.wait(".map-view[data-live]")
        try Self.show(-33.86, 151.2, zoom: 14, on: bench)
        // The new stream sends the positions in another part of the earth.
        try bench.wait(".map-view[data-live]")
        try Self.report("boat", -33.86, 151.2, to: bench)
        try bench.browser.find("#map-details [data-key=close]").click()
        try bench.wait("#map-devices [data-device=boat]")
        try bench.wait("#page-status[data-status=fine]")
        #expect(try bench.browser.all("#live-updates .pill").isEmpty)
        // A view that was left requests no positions, and its map is removed.
        try bench.browser.evaluate("location.hash = '#/sinks'")
        try bench.wait("#add-sink")
        #expect(try Self.state("state.map === null && state.devices.size === 0", of: bench).bool == true)
        try bench.browser.evaluate("location.hash = '#/map'")
        try bench.wait("#map-geofences, #map-devices")
        #expect(try bench.consoleErrors().isEmpty)
    }

    @Test("Without a live stream, devices are shown by polling")
    func polling() throws {
        let bench = try DashboardBench(Self.fences)
        try bench.browser.devTools("Network.enable")
        try bench.browser.devTools("Network.setBlockedURLs", ["urls": ["*/v1/events/stream*"]])
        try bench.open("#/map")
        try bench.wait("#map-geofences [data-geofence=home]")
        try Self.report("van", 52.52, 13.41, to: bench)
        try bench.wait("#map-devices [data-device=van]")
    }

    @Test("A click on the map selects the device, else the smallest geofence")
    func picking() throws {
        let bench = try DashboardBench(Self.fences)
        try Self.report("van", 52.52, 13.40, to: bench)
        try bench.open("#/map")
        try bench.wait("#map-devices [data-device=van]")
        try Self.show(52.52, 13.40, zoom: 16, on: bench)
        try bench.browser.find("#map .map").click()
        try bench.wait("#map-details-title", contains: "van")
        // 60 meters to the north there is only the geofence.
        try Self.show(52.52055, 13.40, zoom: 16, on: bench)
        try bench.browser.find("#map .map").click()
        try bench.wait("#map-details-title", contains: Self.dangerousName)
        try bench.wait("#map-who", contains: "van")
        // The hole of the square is not part of the geofence.
        try Self.show(52.513, 13.385, zoom: 16, on: bench)
        try bench.browser.find("#map .map").click()
        try bench.waitForNone("#map-details")
        #expect(try bench.consoleErrors().isEmpty)
    }

    @Test("Circles have their true size to the millimeter, as measured by PROJ")
    func circles() throws {
        let bench = try DashboardBench()
        try bench.open("#/map")
        try bench.wait("#map .map")
        for (latitude, longitude, radius) in [
            (52.52, 13.40, 100.0), (0, 0, 1), (-33.9, 151.2, 25_000), (69.65, 18.96, 1_000_000), (-17.0, 179.9, 400_000),
            (89.5, -40, 90_000),
        ] {
            let ring = try bench.browser.evaluate(
                "return (await import('/dashboard/geodesy.js')).circleRing(arguments[0], arguments[1], arguments[2], 24)",
                JSONValue(latitude), JSONValue(longitude), JSONValue(radius))
            let center = Coordinate(latitude: latitude, longitude: longitude)
            let places = (ring.array ?? []).compactMap { place -> Coordinate? in
                guard let latitude = place.array?.first?.double, let longitude = place.array?.last?.double else { return nil }
                return Coordinate(latitude: latitude, longitude: longitude)
            }
            #expect(places.count == 24)
            for place in places { #expect(abs(Geodesic.distance(center, place) - radius) < 0.001) }
            let measured = try bench.browser.evaluate(
                "const { inverse } = await import('/dashboard/geodesy.js'); return inverse(arguments[0], arguments[1], arguments[2], arguments[3]).distance",
                JSONValue(latitude), JSONValue(longitude), JSONValue(places[5].latitude), JSONValue(places[5].longitude))
            #expect(abs((measured.double ?? 0) - radius) < 0.001)
        }
    }

    @Test("Outlines continue across the antimeridian and around a pole")
    func outlines() throws {
        let bench = try DashboardBench()
        try bench.open("#/map")
        try bench.wait("#map .map")
        let widest = try bench.browser.evaluate(
            """
            const { outlinesOf } = await import('/dashboard/map-shapes.js')
            const jump = ring => Math.max(...ring.map(([, longitude], index) => Math.abs(longitude - ring[(index + 1) % ring.length][1])))
            const square = { geometry: { type: 'Polygon', coordinates: [[[179, -1], [-179, -1], [-179, 1], [179, 1], [179, -1]], [[-179.6, -0.5], [-179.6, 0.5], [-179.2, 0.5], [-179.6, -0.5]]] } }
            const [outer, hole] = outlinesOf(square)[0]
            const [fiji] = outlinesOf({ latitude: -17, longitude: 179.9, radius: 400000 })[0]
            const [pole] = outlinesOf({ latitude: 89, longitude: 0, radius: 500000 })[0]
            return [jump(outer), Math.min(...hole.map(([, longitude]) => longitude)), jump(fiji), Math.max(...pole.map(([latitude]) => latitude)), pole.length]
            """)
        let numbers = (widest.array ?? []).compactMap(\.double)
        #expect(numbers.count == 5)
        #expect(numbers[0] <= 2 && abs(numbers[1] - 180.4) < 1e-9 && numbers[2] < 2)
        #expect(numbers[3] == 90 && numbers[4] == 131, "the way around the pole is closed along the edge of the map")
    }

    @Test("The grid has round lengths at street level, and degrees for continents")
    func grid() throws {
        let bench = try DashboardBench()
        try bench.open("#/map")
        try bench.wait("#map .map")
        let grids = try bench.browser.evaluate(
            """
            const { gridOf, degreeLabel } = await import('/dashboard/map-grid.js')
            const { mercator } = await import('/dashboard/map-shapes.js')
            const at = (zoom, units) => {
                const scale = 256 * 2 ** zoom
                const [x, y] = mercator(52.52, 13.4)
                return gridOf({ scale, left: x * scale - 500, top: y * scale - 400, width: 1000, height: 800 }, units, 80)
            }
            const streets = at(17, 'metric')
            return [streets.length, streets.latitudes.length, at(17, 'imperial').length / 0.3048, at(4, 'metric').length, degreeLabel(-190, 0, 'longitude'), degreeLabel(-33.5, 1, 'latitude')]
            """)
        #expect(grids.array?[0].double == 100)
        #expect((grids.array?[1].double ?? 0) > 4)
        let imperial: Double = grids.array?[2].double ?? 0
        #expect(abs(imperial - 200) < 1e-6)
        #expect(grids.array?[3] == .null)
        #expect(grids.array?[4].string == "170° E" && grids.array?[5].string == "33.5° S")
    }

    @Test(
        "No accessibility rule is broken with the map, in light and dark, on a desktop and a phone, with large text",
        .enabled("axe-core is not there; tools/axe-core fetches it") { AxeCore.isInstalled })
    func accessibility() throws {
        let bench = try DashboardBench(Self.fences)
        try Self.report("van", 52.52, 13.40, to: bench)
        for (scheme, screen, text) in [
            (Browser.ColorScheme.light, BrowserScreen.desktop, 100), (.dark, .phone, 100), (.light, .phone, 200),
        ] {
            try bench.browser.emulate(colorScheme: scheme, reducedMotion: true)
            try bench.browser.emulate(screen)
            try bench.browser.zoomText(text)
            for (route, selector) in [
                ("#/map", "#map-devices"), ("#/map/device/van", "#map-inside"), ("#/map/geofence/home", "#map-who"),
            ] {
                try bench.open(route)
                try bench.wait(selector)
                let violations = try bench.browser.accessibilityViolations()
                #expect(violations.isEmpty, "\(scheme) \(text) % \(route): \(violations)")
                let isWide = try bench.browser.evaluate("return document.documentElement.scrollWidth > innerWidth").bool
                #expect(isWide == false, "\(scheme) \(text) % \(route) scrolls sideways")
            }
        }
    }
}
