import Model

/// An element of the page in a browser. It becomes stale when the page removes it.
package struct BrowserElement {
    /// The member of a JSON object that represents an element (https://www.w3.org/TR/webdriver2/#elements).
    private static let member = "element-6066-11e4-a52e-4f735466cecf"

    let browser: Browser
    private let id: String

    init(_ json: JSONValue, of browser: Browser) throws {
        guard let id = json[Self.member]?.string else {
            throw Browser.Failure(code: "no such element", message: "Expected an element, found \(json).")
        }
        self.browser = browser
        self.id = id
    }

    /// The element as an argument of a script.
    package var json: JSONValue { [Self.member: .string(id)] }

    /// Scrolls to the element, waits until it is visible, and clicks its center with the mouse.
    ///
    /// - Throws: `Browser.Failure` with the code `element click intercepted` when another element covers it.
    package func click() throws { try interact("click") }

    /// Waits until the element is visible, focuses it and types text at the end of its content.
    package func type(_ text: String) throws { try interact("value", ["text": .string(text)]) }

    /// Waits until an input is visible, and clears it.
    package func clear() throws { try interact("clear") }

    /// The visible text.
    package var text: String { get throws { try get("text").string ?? "" } }

    /// An attribute in the document; nil when it is missing.
    package func attribute(_ name: String) throws -> String? {
        try browser.evaluate("return arguments[0].getAttribute(arguments[1])", json, .string(name)).string
    }

    /// A JavaScript property of the element, such as `value` or `checked`.
    package func property(_ name: String) throws -> JSONValue { try get("property/\(name)") }

    /// The computed value of a CSS property, such as `rgba(255, 0, 0, 1)`.
    package func style(_ name: String) throws -> String { try get("css/\(name)").string ?? "" }

    /// Whether the element is visible.
    package var isDisplayed: Bool { get throws { try get("displayed").bool ?? false } }

    /// The role for screen readers (WAI-ARIA).
    package var role: String { get throws { try get("computedrole").string ?? "" } }

    /// The name for screen readers (https://www.w3.org/TR/accname-1.2/).
    package var label: String { get throws { try get("computedlabel").string ?? "" } }

    /// Scrolls to the element and returns the position of its center in the viewport.
    package func center() throws -> BrowserPoint {
        let center = try browser.evaluate(
            """
            arguments[0].scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' })
            const box = arguments[0].getBoundingClientRect()
            return [box.x + box.width / 2, box.y + box.height / 2]
            """, json)
        return BrowserPoint(x: center.array?.first?.double ?? 0, y: center.array?.last?.double ?? 0)
    }

    private func get(_ path: String) throws -> JSONValue { try browser.get("element/\(id)/\(path)") }

    /// A page shows some of its elements later than it creates them, such as those of a dialog, and a person would wait for them.
    private func interact(_ path: String, _ body: JSONValue = .object([])) throws {
        let end = ContinuousClock.now + .seconds(Browser.patience)
        while true {
            do {
                try browser.post("element/\(id)/\(path)", body)
                return
            } catch let failure as Browser.Failure where failure.code == "element not interactable" && ContinuousClock.now < end {
                try browser.wait(until: "arguments[0].checkVisibility()", json)
            }
        }
    }
}
