import Foundation
import Model
import Testing

@testable import TestSupport

@Suite(
    "Browser driver", .timeLimit(browserTimeLimit), .inBrowser,
    .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct BrowserTests {
    @Test("The browser clicks, types, clears, and reads what a page shows")
    func form() throws {
        let site = try Site([
            "/": """
            <label>Name <input id="name" value="old"></label><button>Greet</button><p id="greeting"></p><p hidden>secret</p>
            <script>
                document.querySelector('button').onclick = () => {
                    document.querySelector('#greeting').textContent = `Hello ${document.querySelector('#name').value}`
                }
            </script>
            """
        ])
        let browser = try Browser(at: site)
        #expect(try browser.title == "A page")
        let name = try browser.find("#name")
        #expect(try name.attribute("value") == "old")
        #expect(try name.attribute("placeholder") == nil)
        #expect(try name.role == "textbox")
        #expect(try name.label == "Name")
        try name.clear()
        try name.type("Ayşe")
        #expect(try name.property("value") == "Ayşe")
        #expect(try browser.focused.attribute("id") == "name")
        try browser.press(.tab)
        #expect(try browser.focused.text == "Greet")
        try browser.press(.tab, with: .shift)
        #expect(try browser.focused.attribute("id") == "name")
        try browser.find("button").click()
        #expect(try browser.find("#greeting").text == "Hello Ayşe")
        #expect(try browser.all("p").map { try $0.isDisplayed } == [true, false])
        #expect(try browser.all("nothing").isEmpty)
        #expect(try browser.consoleErrors() == [])
    }

    @Test("Typing and clicks wait for an element that is shown later")
    func shownLater() throws {
        let site = try Site([
            "/": """
            <dialog id="form"><input id="name"><button onclick="document.title = document.getElementById('name').value">Set</button></dialog>
            <script>addEventListener('load', () => setTimeout(() => document.getElementById('form').showModal(), 500))</script>
            """
        ])
        let browser = try Browser(at: site)
        try browser.find("#name").type("Mia")
        try browser.find("button").click()
        #expect(try browser.title == "Mia")
    }

    @Test("A click on a covered element names what covers it")
    func covered() throws {
        let site = try Site(["/": #"<button>Below</button><div id="above" style="position:fixed;inset:0"></div>"#])
        let browser = try Browser(at: site)
        let failure = #expect(throws: Browser.Failure.self) { try browser.find("button").click() }
        #expect(failure?.code == "element click intercepted")
        #expect(failure?.message.contains(#"id="above""#) == true)
    }

    @Test("The browser drags with the mouse and with a finger", arguments: [Browser.Pointer.mouse, .touch])
    func drag(_ pointer: Browser.Pointer) throws {
        let site = try Site([
            "/": """
            <div id="start" style="width:40px;height:40px;background:#000;touch-action:none"></div>
            <div id="end" style="position:absolute;left:300px;top:500px;width:40px;height:40px;background:#000"></div>
            <script>
                window.seen = []
                for (const type of ['pointerdown', 'pointermove', 'pointerup']) addEventListener(type, event => {
                    seen.push([type, event.pointerType, event.clientX, event.clientY, event.isTrusted, event.buttons])
                })
            </script>
            """
        ])
        let browser = try Browser(at: site)
        if pointer == .touch { try browser.emulate(.phone) }
        try browser.drag(from: browser.find("#start"), to: browser.find("#end"), with: pointer)
        try browser.wait(until: "seen.length && seen.at(-1)[0] == 'pointerup'")
        let seen = try browser.evaluate("return seen").array ?? []
        let down = try #require(seen.first { $0.array?[0] == "pointerdown" }?.array)
        #expect(down[1] == .string(pointer.rawValue))
        #expect(down[4] == true)
        let moves = seen.filter { $0.array?[0] == "pointermove" && $0.array?[5] != JSONValue(0) }
        #expect(moves.count >= 2)
        let last = try #require(moves.last?.array)
        #expect(last[2] == JSONValue(320) && last[3] == JSONValue(520))
    }

    @Test("The browser taps like a finger and hovers like a mouse")
    func tapAndHover() throws {
        let site = try Site([
            "/": """
            <button>B</button>
            <script>
                const button = document.querySelector('button')
                button.onclick = event => document.title = event.pointerType
                button.onmouseenter = () => document.title = 'over'
            </script>
            """
        ])
        let browser = try Browser(at: site)
        try browser.hover(browser.find("button"))
        try browser.wait(until: "document.title == 'over'")
        try browser.emulate(.phone)
        try browser.tap(browser.find("button"))
        try browser.wait(until: "document.title == 'touch'")
    }

    @Test("Scripts get arguments, promises are awaited, and errors are passed on")
    func scripts() throws {
        let site = try Site(["/": "<p>Text</p>"], policy: "default-src 'self'; img-src data:")
        let browser = try Browser(at: site)
        #expect(
            try browser.evaluate("return [arguments[0] + 1, arguments[1]]", JSONValue(1), ["a": .null]) == [
                JSONValue(2), ["a": .null],
            ])
        #expect(try browser.evaluate("return await Promise.resolve('later')") == "later")
        #expect(try browser.evaluate("return arguments[0].textContent", browser.find("p").json) == "Text")
        #expect(try browser.evaluate("document.title = 'quote \" and line\\n'") == .null)
        let failure = #expect(throws: Browser.Failure.self) { try browser.evaluate("throw new Error('as it must')") }
        #expect(failure?.code == "javascript error")
        #expect(failure?.message.contains("as it must") == true)
        #expect(try browser.consoleErrors() == [])
    }

    @Test("The browser waits for a condition across changes of the document, of a value and of the page")
    func waits() throws {
        let site = try Site([
            "/": """
            <p></p><a href="/next">Next</a>
            <script>
                requestAnimationFrame(() => requestAnimationFrame(() => {
                    document.querySelector('p').innerHTML = '<b>here</b>'
                    window.value = 7
                }))
            </script>
            """,
            "/next": "<p>Next page</p>",
        ])
        let browser = try Browser(at: site)
        try browser.wait(until: "window.value === 7")
        #expect(try browser.find("b").text == "here")
        // The expression throws until the page is replaced by one on which it is true.
        try browser.evaluate("setTimeout(() => document.querySelector('a').click(), 50)")
        try browser.wait(until: "location.pathname == '/next' && document.querySelector('p').textContent == 'Next page'")
        let failure = #expect(throws: Browser.Failure.self) { try browser.wait(0.1, until: "missing.value") }
        #expect(failure?.code == "timeout")
        #expect(failure?.message.contains("missing.value at \(site.url)/next") == true)
        #expect(failure?.message.contains("missing is not defined") == true)
        #expect(throws: Browser.Failure.self) { try browser.find("#missing", seconds: 0.1) }
        try browser.goBack()
        #expect(try browser.url == site.url + "/")
        try browser.reload()
        #expect(try browser.find("b").text == "here")
    }

    @Test("A screenshot has the size of the viewport")
    func screenshot() throws {
        let browser = try Browser(at: Site(["/": "<p>Text</p>"]))
        try browser.resize(width: 640, height: 480)
        let directory = try TemporaryDirectory()
        try browser.screenshot(to: directory.path + "/page.png")
        let picture = try [UInt8](Data(contentsOf: URL(filePath: directory.path + "/page.png")))
        // The signature, and the width and height in the first chunk (PNG, sections 5.2 and 11.2.1): 640 and 480.
        #expect(picture.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        #expect(picture.dropFirst(16).prefix(8) == [0, 0, 0x02, 0x80, 0, 0, 0x01, 0xE0])
    }

    @Test("Two browsers of one test have nothing in common")
    func two() throws {
        let site = try Site(["/": "<p>Text</p>"])
        let first = try Browser(at: site)
        let second = try first.another()
        try second.open(site.url + "/")
        try first.evaluate("localStorage.setItem('key', 'first'); document.cookie = 'a=b'")
        #expect(try second.evaluate("return [localStorage.getItem('key'), document.cookie]") == [.null, ""])
    }

    @Test("A closed browser leaves no process and no file")
    func end() throws {
        var browser: Browser? = try Browser(at: Site(["/": "<p>Text</p>"]))
        let path = try #require(browser).driver.directory.path
        #expect(processes(using: path).count > 2)
        browser = nil
        #expect(processes(using: path) == [])
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("When the tests are killed, the browser leaves no process and no file")
    func crash() throws {
        let browser = try Browser(at: Site(["/": "<p>Text</p>"]))
        let path = browser.driver.directory.path
        // This closes the pipe, as the kernel does when this process is killed.
        browser.driver.end()
        #expect(processes(using: path) == [])
        #expect(!FileManager.default.fileExists(atPath: path))
        let failure = #expect(throws: Browser.Failure.self) { try browser.title }
        #expect(failure?.message.contains("chromedriver has ended") == true)
    }

    /// The command lines of running processes that contain a path.
    private func processes(using path: String) -> [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.filter { Int($0) != nil }.compactMap { entry in
            // Nil when the process has ended meanwhile.
            guard let bytes = FileManager.default.contents(atPath: "/proc/\(entry)/cmdline") else { return nil }
            let command = String(decoding: bytes, as: UTF8.self).replacing("\0", with: " ")
            return command.contains(path) ? command : nil
        }
    }
}
