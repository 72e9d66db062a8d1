import Geodesy
import Model
import TestSupport

/// The dashboard's map with geofences in Berlin, and functions to edit them.
final class EditingBench {
    static let center = Coordinate(latitude: 52.5, longitude: 13.4)

    /// A geofence in the service did not satisfy a condition in time.
    struct Unexpected: Error { var found: JSONValue? }

    let bench: DashboardBench
    var browser: Browser { bench.browser }

    /// - Parameter prepare: Further preparation of the data directory.
    init(screen: BrowserScreen = .desktop, _ prepare: (Program) throws -> Void = { _ in }) throws {
        bench = try DashboardBench { picket in
            try picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
            try prepare(picket)
        }
        try browser.emulate(screen)
    }

    func open() throws {
        try bench.open("#/map")
        try bench.wait("#draw-circle")
        try browser.wait(until: "document.querySelector('.map .leaflet-pane')")
        try browser.evaluate("window.mapState = (await import('/dashboard/map-state.js')).mapState")
        // After that the map shows everything and no longer moves automatically.
        try browser.wait(until: "mapState.geofenceArea && mapState.deviceArea")
    }

    /// Shows a part of the earth on the map.
    func show(_ center: Coordinate = center, zoom: Int = 16) throws -> MapPixels {
        try MapPixels(bench, around: center, zoom: zoom)
    }

    /// Signs in with a token.
    func signIn(_ secret: String) throws {
        try bench.wait("#sign-in[open]")
        try browser.find("#sign-in-token").type(secret)
        try click("#sign-in-submit")
        try bench.waitForNone("#sign-in")
    }

    /// Selects a geofence, like a click on the map or in the list.
    func select(_ id: String) throws {
        try browser.wait(until: "mapState.geofences.has(arguments[0])", .string(id))
        try browser.evaluate(
            "(await import('/dashboard/map-state.js')).select({ kind: 'geofence', id: arguments[0] })", .string(id))
        try bench.wait("#edit-geofence")
    }

    /// Starts to edit a geofence, and waits for the form.
    func change(_ id: String) throws {
        try select(id)
        try click("#edit-geofence")
        try bench.wait("#edit-form")
    }

    func click(_ selector: String) throws { try browser.find(selector).click() }

    /// Replaces the text of a field.
    func fill(_ selector: String, _ text: String) throws {
        let field = try browser.find(selector)
        try field.clear()
        try field.type(text)
    }

    func value(_ selector: String) throws -> String { try browser.find(selector).property("value").string ?? "" }

    /// The position of a handle in the viewport.
    func handle(_ name: String) throws -> BrowserPoint { try browser.find("[data-handle='\(name)']").center() }

    /// Saves, and waits until the details replace the form.
    func save() throws {
        try click("#save-geofence")
        try bench.wait("#edit-geofence")
    }

    /// The geofence in the service; nil when there is none.
    func stored(_ id: String) throws -> JSONValue? {
        let result = try bench.picket.run("geofence", "show", id, "--json")
        return result.status == 0 ? try JSONParser.parse(result.output) : nil
    }

    /// Waits until a geofence in the service satisfies a condition; nil stands for a missing one.
    func wait(for id: String, until isGood: (JSONValue?) -> Bool) throws {
        let end = ContinuousClock.now + .seconds(Watchdog.seconds)
        while !isGood(try stored(id)) {
            guard ContinuousClock.now < end else { throw Unexpected(found: try stored(id)) }
        }
    }

    /// The errors of the page, without those that the browser logs for expected answers.
    ///
    /// - Parameter refusals: The expected statuses.
    func errors(expecting refusals: Int...) throws -> [String] {
        try browser.consoleErrors().filter { line in
            !line.contains("/v1/me/preferences") && !refusals.contains { line.contains("status of \($0)") }
        }
    }
}

extension JSONValue {
    /// The center of a circle.
    var center: Coordinate {
        Coordinate(latitude: self["latitude"]?.double ?? .nan, longitude: self["longitude"]?.double ?? .nan)
    }

    /// The members of an object, regardless of their order.
    var fields: [String: JSONValue] { Dictionary((members ?? []).map { ($0.name, $0.value) }) { $1 } }

    /// The corners of a polygon's ring, without the last, which repeats the first.
    func corners(ring: Int = 0) -> [Coordinate] {
        let positions = self["geometry"]?["coordinates"]?.array?[ring].array ?? []
        return positions.dropLast().map {
            Coordinate(latitude: $0.array?.last?.double ?? .nan, longitude: $0.array?.first?.double ?? .nan)
        }
    }
}
