import Foundation
import Model
import TestSupport
import Testing

/// A service with its own data directory, and a browser that shows its dashboard.
final class DashboardBench {
    private let directory: TemporaryDirectory
    let picket: Program
    let browser: Browser
    let port: Int
    private let options: [String]
    private var service: Program.Running?

    struct DidNotStart: Error { var errors: String }

    /// - Parameters:
    ///   - options: Further options of the service.
    ///   - hasPseudoLanguage: Whether the service is an installed one whose only language besides English is `PseudoLanguage`.
    ///   - prepare: Called with the data directory before the service starts.
    init(options: [String] = [], hasPseudoLanguage: Bool = false, _ prepare: (Program) throws -> Void = { _ in }) throws {
        self.options = options
        directory = try TemporaryDirectory()
        picket = try hasPseudoLanguage ? PseudoLanguage.installed(in: directory) : Program(data: directory.path + "/data")
        port = try FreePort.find()
        try prepare(picket)
        browser = try Browser()
        try start()
    }

    /// A bench whose browser uses English and Berlin's time zone.
    static func inBerlin(_ prepare: (Program) throws -> Void) throws -> DashboardBench {
        let bench = try DashboardBench(prepare)
        try bench.browser.emulate(locale: "en-GB")
        try bench.browser.emulate(timeZone: "Europe/Berlin")
        return bench
    }

    deinit { stop() }

    var url: String { "http://127.0.0.1:\(port)/" }

    func start() throws {
        let service = try picket.start(
            ["serve", "--json", "--listen", "127.0.0.1:\(port)", "--auto-repair-interval", "0"] + options)
        guard service.nextLine() != nil else {
            throw DidNotStart(errors: String(decoding: service.errors.readDataToEndOfFile(), as: UTF8.self))
        }
        self.service = service
    }

    /// Kills the service.
    func stop() {
        service?.kill()
        service = nil
    }

    /// Stops the service, which then answers nothing and keeps its connections, or lets it continue.
    func setHung(_ isHung: Bool) { service?.process.signal(isHung ? SIGSTOP : SIGCONT) }

    /// Sends a request to the service.
    @discardableResult
    func ask(
        _ method: String, _ target: String, body: String? = nil, secret: String? = nil
    ) throws -> TestAnswer {
        let headers = secret.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        return try #require(try RawConnection(port: port).send(method, target, body: body, headers: headers))
    }

    /// Errors in the browser's console, except for the answer of a service that has no preferences for the person.
    func consoleErrors() throws -> [String] { try browser.consoleErrors().filter { !$0.contains("/v1/me/preferences") } }

    func expectNoErrors() throws {
        let errors = try consoleErrors()
        #expect(errors.isEmpty, "\(errors)")
    }

    func open(_ route: String = "#/") throws { try browser.open(url + route) }

    /// Opens a page without timers that repeat, so that it changes only because the service says so, and waits until it follows the service.
    func openWithoutPolling(_ route: String = "#/") throws {
        try browser.addScript("window.setInterval = () => 0")
        try open(route)
        try wait("#page-status[data-status=fine]")
        try browser.waitForStream()
    }

    func run(_ words: String...) throws {
        let result = try picket.run(words)
        if result.status != 0 { throw DidNotStart(errors: "picket \(words): \(result.errors)") }
    }

    /// Waits until an element exists, contains a text, and is visible.
    func wait(_ selector: String, contains text: String = "") throws {
        let script = """
            [...document.querySelectorAll(arguments[0])].some(e => e.checkVisibility() && e.textContent.includes(arguments[1]))
            """
        try browser.wait(until: script, .string(selector), .string(text))
    }

    /// Waits until no matching element is visible.
    func waitForNone(_ selector: String) throws {
        let script = "![...document.querySelectorAll(arguments[0])].some(e => e.checkVisibility())"
        try browser.wait(until: script, .string(selector))
    }
}

extension Program {
    /// A name that would run as code if a page treated names as HTML.
    static let scriptName = "<img src=x onerror=alert(1)>"

    /// Adds two geofences with a radius of 100 m and a device, with names that must be shown as text.
    func addPlaces(home: String, school: String) throws {
        for (id, name, center) in [("home", "Home", home), ("school", Self.scriptName, school)] {
            try run("geofence", "add", "--id", id, "--name", name, "--circle", "\(center),100")
        }
        try run("device", "add", "anna", "--name", "Anna <b>7</b>")
    }

    func feed(_ csv: String, _ options: String...) throws {
        let result = try run(["feed", "-", "--quiet"] + options, input: csv)
        #expect(result.status == 0, "\(result.errors)")
    }
}

extension Browser {
    /// Runs a script at the beginning of each page that is opened from now on.
    func addScript(_ source: String) throws {
        try devTools("Page.enable")
        try devTools("Page.addScriptToEvaluateOnNewDocument", ["source": .string(source)])
    }

    /// Waits until the stream of the page is in a state.
    func waitForStream(_ state: String = "open") throws {
        try evaluate("window.app = (await import(new URL('dashboard/state.js', location.href))).app")
        try wait(until: "app.connection.stream === '\(state)'")
    }
}
