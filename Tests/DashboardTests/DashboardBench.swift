import Foundation
import Model
import TestSupport

/// A service with a data directory of its own, and a browser that shows its dashboard.
final class DashboardBench {
    private let directory: TemporaryDirectory
    let picket: Program
    let browser: Browser
    let port: Int
    private var service: Program.Running?

    struct DidNotStart: Error { var errors: String }

    /// - Parameter prepare: What is done to the data directory before the service starts.
    init(_ prepare: (Program) throws -> Void = { _ in }) throws {
        directory = try TemporaryDirectory()
        picket = Program(data: directory.path + "/data")
        port = try FreePort.take()
        try prepare(picket)
        browser = try Browser()
        try start()
    }

    deinit { stop() }

    var url: String { "http://127.0.0.1:\(port)/" }

    func start() throws {
        let service = try picket.start(["serve", "--json", "--listen", "127.0.0.1:\(port)", "--auto-repair-interval", "0"])
        guard service.nextLine() != nil else {
            throw DidNotStart(errors: String(decoding: service.errors.readDataToEndOfFile(), as: UTF8.self))
        }
        self.service = service
    }

    /// Ends the service at once.
    func stop() {
        service?.kill()
        service = nil
    }

    func open(_ route: String = "#/") throws { try browser.open(url + route) }

    func run(_ words: String...) throws {
        let result = try picket.run(words)
        if result.status != 0 { throw DidNotStart(errors: "picket \(words): \(result.errors)") }
    }

    /// Waits until an element is there, has the text in it, and is shown.
    func wait(_ selector: String, contains text: String = "", seconds: Double = 60) throws {
        let script = """
            [...document.querySelectorAll(arguments[0])].some(e => e.checkVisibility() && e.textContent.includes(arguments[1]))
            """
        try browser.wait(seconds, until: script, .string(selector), .string(text))
    }

    /// Waits until no element is there that is shown.
    func waitForNone(_ selector: String, seconds: Double = 60) throws {
        let script = "![...document.querySelectorAll(arguments[0])].some(e => e.checkVisibility())"
        try browser.wait(seconds, until: script, .string(selector))
    }
}
