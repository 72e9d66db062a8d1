import Foundation
import Model

/// A headless Chromium that one test uses, controlled with the W3C WebDriver protocol (https://www.w3.org/TR/webdriver2/).
///
/// Every call blocks until the browser has finished. Do not suspend a task while it holds a browser: other tests may block all threads of
/// the pool until the browser is released. The browser can only connect to 127.0.0.1 and localhost.
package final class Browser {
    /// An error of the browser or its driver.
    package struct Failure: Error, CustomStringConvertible {
        /// The protocol's error code, such as `stale element reference` (https://www.w3.org/TR/webdriver2/#errors).
        package var code: String
        package var message: String

        package init(code: String, message: String) {
            self.code = code
            self.message = message
        }

        package var description: String { "\(code): \(message)" }
    }

    /// The maximum number of browsers at a time, because each keeps a processor busy.
    package static let maximumCount = 2

    /// Whether Chromium and chromedriver are installed. `tools/test` installs them.
    package static var isInstalled: Bool { BrowserDriver.isInstalled }

    let driver: BrowserDriver
    private let place: BrowserPlace
    private let session: String
    /// The number of recorded traces. The handles of traces are numbered from 1.
    var traces = 0
    /// Whether the emulated device has a touchscreen.
    var hasTouch = false

    /// Starts a browser with an empty profile. Waits while two other tests have one.
    package convenience init() throws { try self.init(place: BrowserPlace()) }

    /// Starts a second browser for the same test, for example for another person. It does not wait for other tests, because two tests with
    /// two browsers each could then wait for each other forever.
    package func another() throws -> Browser { try Browser(place: place) }

    private init(place: BrowserPlace) throws {
        self.place = place
        driver = try BrowserDriver()
        let arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-extensions",
            "--disable-sync", "--disable-breakpad", "--no-proxy-server", "--window-size=1280,900",
            // Media queries find a mouse that can hover, although a machine without a display has none.
            "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
            // Only addresses of this machine are resolved and connected to.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
            // The browser ends when the driver ends.
            "--remote-debugging-pipe", "--user-data-dir=\(driver.directory.path)/profile",
        ]
        let answer = try driver.send(
            "POST", "/session",
            body: [
                "capabilities": [
                    "alwaysMatch": [
                        "timeouts": ["script": JSONValue(300_000), "pageLoad": JSONValue(300_000)],
                        "goog:loggingPrefs": ["browser": "ALL", "performance": "ALL"],
                        "goog:chromeOptions": [
                            "binary": .string(BrowserDriver.browser),
                            "args": .array(arguments.map(JSONValue.string)),
                            // Starts with an empty page instead of the new tab page (4: the URLs that follow).
                            "prefs": ["session": ["restore_on_startup": JSONValue(4), "startup_urls": ["about:blank"]]],
                            "perfLoggingPrefs": ["enablePage": false],
                        ],
                    ]
                ]
            ])
        guard let session = answer["sessionId"]?.string else {
            throw Failure(code: "no session", message: answer.description)
        }
        self.session = session
        // Discards what was logged before the first page was opened.
        _ = try consoleErrors()
        _ = try requests()
    }

    deinit {
        do {
            _ = try command("DELETE", "")
        } catch {
            // The driver or the browser has crashed; their remaining processes are killed next.
        }
        driver.end()
    }

    // MARK: - Pages

    /// Opens a page and waits until it has loaded.
    package func open(_ url: String) throws { try post("url", ["url": .string(url)]) }

    /// Loads the page again and waits until it has loaded.
    package func reload() throws { try post("refresh") }

    /// Goes back in the history, like the browser's button.
    package func goBack() throws { try post("back") }

    package var url: String { get throws { try get("url").string ?? "" } }
    package var title: String { get throws { try get("title").string ?? "" } }

    /// Writes a PNG image of the visible part of the page.
    package func screenshot(to path: String) throws {
        guard let picture = try get("screenshot").string.flatMap({ Data(base64Encoded: $0) }) else {
            throw Failure(code: "no picture", message: "The driver's answer to a screenshot is no Base64.")
        }
        try picture.write(to: URL(filePath: path))
    }

    // MARK: - Elements

    /// The default timeout of `find` and `wait` in seconds: shorter than the driver's timeout for a script.
    package static let patience = 240.0

    /// Waits until an element matches a CSS selector, and returns the first one.
    package func find(_ css: String, seconds: Double = Browser.patience) throws -> BrowserElement {
        let found = try wait(seconds, "document.querySelector(arguments[0])", [.string(css)], what: "an element \(css)")
        return try BrowserElement(found, of: self)
    }

    /// The elements that match a CSS selector at present, in document order.
    package func all(_ css: String) throws -> [BrowserElement] {
        try (post("elements", ["using": "css selector", "value": .string(css)]).array ?? []).map {
            try BrowserElement($0, of: self)
        }
    }

    /// The element with the focus; the body when there is none.
    package var focused: BrowserElement { get throws { try BrowserElement(get("element/active"), of: self) } }

    /// Presses and releases a key. The element with the focus receives it.
    package func press(_ key: BrowserKey, with modifiers: BrowserKey...) throws {
        let keys = modifiers + [key]
        func actions(_ type: JSONValue, _ keys: [BrowserKey]) -> [JSONValue] {
            keys.map { ["type": type, "value": .string($0.value)] }
        }
        try perform([
            "type": "key", "id": "keyboard", "actions": .array(actions("keyDown", keys) + actions("keyUp", keys.reversed())),
        ])
    }

    // MARK: - Scripts

    /// Runs JavaScript in the page, regardless of the page's Content Security Policy.
    ///
    /// - Parameters:
    ///   - body: The body of an async function, which may use `await`, and returns a JSON value or an element.
    ///   - arguments: The function's `arguments`. Pass an element as its `BrowserElement.json`.
    /// - Throws: `Failure` with the code `javascript error` for an exception in the script.
    @discardableResult
    package func evaluate(_ body: String, _ arguments: JSONValue...) throws -> JSONValue { try run(body, arguments) }

    private func run(_ body: String, _ arguments: [JSONValue]) throws -> JSONValue {
        // Inside an arrow function, `arguments` are those of the enclosing function, which belongs to the driver.
        do {
            return try post(
                "execute/sync", ["script": .string("return (async () => {\n\(body)\n})()"), "args": .array(arguments)])
        } catch var failure as Failure where failure.code == "script timeout" {
            failure.message += " in: \(body)"
            throw failure
        }
    }

    /// Waits until a JavaScript expression is true, in this page or in one that it navigates to. The browser evaluates the expression at
    /// every change of the document and before every frame.
    ///
    /// An expression that throws counts as false.
    ///
    /// - Throws: `Failure` with the code `timeout` when the expression does not become true in time.
    package func wait(_ seconds: Double = Browser.patience, until condition: String, _ arguments: JSONValue...) throws {
        _ = try wait(seconds, "!!(\(condition)\n)", arguments, what: arguments.isEmpty ? condition : "\(condition) \(arguments)")
    }

    /// Waits until an expression is truthy, and returns its value.
    private func wait(_ seconds: Double, _ expression: String, _ arguments: [JSONValue], what: String) throws -> JSONValue {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            let left = max(0, (end - ContinuousClock.now) / .milliseconds(1))
            let result: JSONValue
            do {
                result = try run(Self.waiting(expression), arguments + [JSONValue(left)])
            } catch let failure as Failure where failure.isNavigation && ContinuousClock.now < end {
                // The page was replaced by another one, which may satisfy the condition.
                continue
            }
            if let value = result["value"] { return value }
            let error = result["error"]?.string.map { " The last check failed: \($0)." } ?? ""
            throw Failure(code: "timeout", message: "Waited \(seconds) seconds for \(what) at \(try url).\(error)")
        }
    }

    /// A script that resolves to `{value}`, or to `{error}` when the milliseconds in its last argument are over.
    private static func waiting(_ expression: String) -> String {
        """
        // A test may have replaced the page's timers, and stopped its clock.
        const { setTimeout, clearTimeout } = window.pageClock?.real ?? window
        let error = null
        const check = () => {
            try {
                const value = (\(expression)
                )
                error = null
                return value
            } catch (thrown) {
                error = String(thrown)
                return false
            }
        }
        return await new Promise(resolve => {
            let isOver = false
            const finish = result => {
                isOver = true
                observer.disconnect()
                clearTimeout(timer)
                resolve(result)
            }
            const look = () => {
                if (isOver) return
                const value = check()
                if (value) finish({ value })
            }
            const frame = () => {
                look()
                if (!isOver) requestAnimationFrame(frame)
            }
            const observer = new MutationObserver(look)
            observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
            const timer = setTimeout(() => {
                look()
                if (!isOver) finish({ error })
            }, arguments[arguments.length - 1])
            frame()
        })
        """
    }

    // MARK: - The protocol

    /// Sends a command of the Chrome DevTools Protocol (https://chromedevtools.github.io/devtools-protocol/) to the page.
    @discardableResult
    package func devTools(_ method: String, _ parameters: JSONValue = .object([])) throws -> JSONValue {
        try post("goog/cdp/execute", ["cmd": .string(method), "params": parameters])
    }

    func get(_ path: String) throws -> JSONValue { try command("GET", "/" + path) }

    @discardableResult
    func post(_ path: String, _ body: JSONValue = .object([])) throws -> JSONValue { try command("POST", "/" + path, body) }

    private func command(_ method: String, _ path: String, _ body: JSONValue? = nil) throws -> JSONValue {
        try driver.send(method, "/session/\(session)\(path)", body: body)
    }

    /// Performs actions of one input device.
    func perform(_ actions: JSONValue) throws { try post("actions", ["actions": [actions]]) }
}

extension Browser.Failure {
    /// Whether a script was aborted because its page was replaced.
    fileprivate var isNavigation: Bool {
        ["aborted by navigation", "unloaded", "execution context"].contains { message.contains($0) }
    }
}
