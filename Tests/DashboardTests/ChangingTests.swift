import Geometry
import Model
import TestSupport
import Testing

@Suite(
    "Changing geofences on the map", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct ChangingTests {
    /// A square of about 700 meters around the center, with a square hole of about 200 meters.
    private static let yard = """
        {"type":"Polygon","coordinates":[[[13.395,52.497],[13.405,52.497],[13.405,52.503],[13.395,52.503],[13.395,52.497]],
        [[13.3985,52.499],[13.4015,52.499],[13.4015,52.501],[13.3985,52.501],[13.3985,52.499]]]}
        """

    private static func addYard(_ picket: Program) throws {
        try picket.run(["geofence", "add", "--id", "yard", "--name", "Yard", "--geometry", "-"], input: yard)
    }

    @Test("A circle is moved and resized by its handles and by its area, and kept only when it is saved")
    func circle() throws {
        let editing = try EditingBench()
        try editing.open()
        let map = try editing.show()
        try editing.change("home")
        try editing.bench.wait("[data-handle=center]")
        let pixel = map.metersPerPixel
        try editing.browser.drag(from: editing.handle("center"), to: map.point(80, -60))
        try editing.browser.drag(from: editing.handle("edge"), to: map.point(80, 60))
        #expect(try editing.stored("home")?["radius"]?.double == 100, "not before it is saved")
        try editing.save()
        var home = try #require(try editing.stored("home"))
        #expect(Geodesic.distance(home.center, map.place(80, -60)) < 1.5 * pixel)
        #expect(abs(try #require(home["radius"]?.double) - Geodesic.distance(home.center, map.place(80, 60))) < 2 * pixel)
        // Dragging the area, beside the handles, moves the center and keeps the radius.
        let (before, radius) = (home.center, home["radius"])
        try editing.click("#edit-geofence")
        try editing.bench.wait("[data-handle=center]")
        try editing.browser.drag(from: map.point(50, -80), to: map.point(-50, 20))
        try editing.save()
        home = try #require(try editing.stored("home"))
        #expect(
            abs(Geodesic.distance(before, home.center) - Geodesic.distance(map.place(50, -80), map.place(-50, 20))) < 2 * pixel)
        #expect(home["radius"] == radius)
        // Canceling changes nothing.
        try editing.click("#edit-geofence")
        try editing.bench.wait("[data-handle=center]")
        try editing.browser.drag(from: editing.handle("center"), to: map.point(0, 0))
        try editing.click("#cancel-edit")
        try editing.bench.wait("#edit-geofence")
        #expect(try editing.stored("home") == home)
        #expect(try editing.errors() == [])
    }

    @Test("Corners of a polygon are moved, added and removed, the polygon is moved, and its hole stays")
    func polygon() throws {
        let editing = try EditingBench(Self.addYard)
        try editing.open()
        let map = try editing.show(zoom: 15)
        let before = try #require(try editing.stored("yard"))
        try editing.change("yard")
        try editing.bench.wait("[data-handle='corner 0 0 0']")
        try editing.browser.drag(from: editing.handle("corner 0 0 2"), to: map.point(200, -150))
        try editing.browser.drag(from: editing.handle("middle 0 0 1"), to: map.point(0, 220))
        try editing.browser.drag(from: editing.handle("corner 0 1 0"), to: map.point(-50, 70))
        #expect(try editing.value("#edit-ring-0-0").split(separator: "\n").count == 5)
        // The corner that was touched last can be removed with a button, and any corner with a key.
        try editing.browser.drag(from: editing.handle("corner 0 0 0"), to: map.point(-200, 150))
        try editing.click("#remove-corner")
        try editing.browser.wait(until: "document.querySelector('#edit-ring-0-0').value.split('\\n').length == 4")
        try editing.save()
        var yard = try #require(try editing.stored("yard"))
        let pixel = map.metersPerPixel
        #expect(yard.corners().count == 4)
        #expect(Geodesic.distance(yard.corners()[0], map.place(0, 220)) < 1.5 * pixel)
        #expect(Geodesic.distance(yard.corners()[2], map.place(200, -150)) < 1.5 * pixel)
        #expect(Geodesic.distance(yard.corners(ring: 1)[0], map.place(-50, 70)) < 1.5 * pixel)
        #expect(yard.corners(ring: 1).dropFirst() == before.corners(ring: 1).dropFirst())
        // Dragging the area moves the whole polygon: all sides keep their lengths.
        func sides(_ geofence: JSONValue) -> [Double] {
            let corners = geofence.corners()
            return zip(corners, corners.dropFirst() + corners.prefix(1)).map { Geodesic.distance($0, $1) }
        }
        let (lengths, old) = (sides(yard), yard.corners(ring: 1)[2])
        try editing.click("#edit-geofence")
        try editing.bench.wait("[data-handle='corner 0 0 0']")
        try editing.browser.drag(from: map.point(90, 80), to: map.point(130, 50))
        try editing.save()
        yard = try #require(try editing.stored("yard"))
        for (one, other) in zip(lengths, sides(yard)) { #expect(abs(one - other) < 0.1) }
        let moved = Geodesic.distance(map.place(90, 80), map.place(130, 50))
        #expect(abs(Geodesic.distance(old, yard.corners(ring: 1)[2]) - moved) < 2 * pixel)
        #expect(try editing.errors() == [])
    }

    @Test("All fields are changed exactly as typed, and a geofence is deactivated and activated")
    func fields() throws {
        let editing = try EditingBench { picket in
            try picket.run(
                "geofence", "edit", "home", "--triggers", "enter", "--groups", "family", "--property", "color=red", "--policy",
                "exact")
        }
        try editing.open()
        let before = try #require(try editing.stored("home"))
        try editing.change("home")
        try editing.fill("#edit-name", "Our <b>house</b>")
        try editing.fill("#edit-radius", "123.25")
        try editing.click("#edit-more summary")
        try editing.fill("#edit-priority", "7")
        try editing.fill("#edit-dwell", "2,5")
        try editing.save()
        try editing.bench.wait("#map-details", contains: "Our <b>house</b>")
        let changes: JSONValue = [
            "name": "Our <b>house</b>", "radius": .number("123.25"), "priority": JSONValue(7), "dwell": JSONValue(150),
        ]
        let after = try #require(try editing.stored("home"))
        #expect(after.fields == before.merged(with: changes).fields, "nothing else changes")
        try editing.click("#toggle-geofence")
        try editing.wait(for: "home") { $0?["isActive"] == false }
        try editing.bench.wait("#toggle-geofence", contains: "Activate")
        try editing.click("#toggle-geofence")
        try editing.wait(for: "home") { $0?["isActive"] == true }
        #expect(try editing.errors() == [])
    }

    @Test("Errors are shown at their fields, typed text stays, and refusals of the service are shown")
    func refusals() throws {
        let editing = try EditingBench()
        try editing.open()
        try editing.click("#draw-circle")
        try editing.fill("#edit-latitude", "95")
        try editing.fill("#edit-radius", "2000000")
        try editing.click("#save-geofence")
        try editing.bench.wait("#edit-name-error")
        try editing.bench.wait("#edit-latitude-error", contains: "90")
        try editing.bench.wait("#edit-longitude-error")
        try editing.bench.wait("#edit-radius-error", contains: "1,000,000")
        #expect(try editing.browser.focused.attribute("id") == "edit-name")
        #expect(try editing.value("#edit-latitude") == "95")
        try editing.click("#cancel-edit")
        // Only the service checks for self-intersection; it does so while the outline is typed.
        try editing.click("#draw-polygon")
        try editing.fill("#edit-name", "Bow")
        try editing.browser.find("#edit-ring-0-0").type("1, 1\n2, 2\n2, 1\n1, 2")
        try editing.bench.wait("#edit-ring-0-0-error", contains: "crosses")
        try editing.click("#save-geofence")
        try editing.browser.wait(until: "document.activeElement.id == 'edit-ring-0-0'")
        #expect(try editing.value("#edit-name") == "Bow" && editing.value("#edit-ring-0-0").hasPrefix("1, 1\n2, 2"))
        #expect(try editing.stored("bow") == nil)
        #expect(try editing.errors(expecting: 422) == [])
    }

    @Test("A deletion asks once, names what is lost, and can be undone for ten seconds")
    func deletion() throws {
        let editing = try EditingBench { picket in
            try picket.run(
                ["feed", "-"],
                input: #"{"device":"anna","timestamp":"2026-05-01T10:00:00Z","latitude":52.5,"longitude":13.4,"accuracy":5}"#
                    + "\n")
        }
        try editing.open()
        try editing.select("home")
        let before = try #require(try editing.stored("home"))
        try editing.click("#delete-geofence")
        try editing.bench.wait("#deletion-loss", contains: "1 device is inside")
        try editing.bench.wait("#deletion-loss", contains: "orphaned")
        try editing.browser.wait(until: "document.activeElement.id == 'confirm-deletion'")
        try editing.click("#confirm-deletion")
        try editing.bench.wait("#notices .notice", contains: "Home")
        let isHidden = "mapState.hiddenGeofences.has('home')"
        try editing.browser.wait(until: isHidden)
        try editing.click("#notices .notice button")
        try editing.browser.wait(until: "!\(isHidden)")
        #expect(try editing.stored("home") == before)
        try editing.select("home")
        try editing.click("#delete-geofence")
        try editing.click("#confirm-deletion")
        try editing.wait(for: "home") { $0 == nil }
        #expect(try editing.errors() == [])
    }
}
