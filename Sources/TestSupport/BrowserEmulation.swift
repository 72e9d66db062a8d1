import Model

/// What a page learns about the person and the device. Everything stays when another page is opened.
extension Browser {
    public enum ColorScheme: String, Sendable {
        case light, dark
    }

    /// Sets what the person prefers (`prefers-color-scheme`, `prefers-reduced-motion`).
    public func emulate(colorScheme: ColorScheme = .light, reducedMotion: Bool = false) throws {
        try devTools(
            "Emulation.setEmulatedMedia",
            [
                "features": [
                    ["name": "prefers-color-scheme", "value": .string(colorScheme.rawValue)],
                    ["name": "prefers-reduced-motion", "value": reducedMotion ? "reduce" : "no-preference"],
                ]
            ])
    }

    /// Takes the page's network away or gives it back. Service workers keep theirs.
    public func emulate(offline: Bool) throws {
        let unlimited = JSONValue(-1)
        try devTools(
            "Network.emulateNetworkConditions",
            [
                "offline": .bool(offline), "latency": JSONValue(0), "downloadThroughput": unlimited,
                "uploadThroughput": unlimited,
            ])
    }

    /// Sets the font size of the browser's settings, from which `rem` follows.
    ///
    /// - Parameter percent: Of the usual 16 pixels.
    public func zoomText(_ percent: Int) throws {
        // 13 pixels are usual for fonts of a fixed width.
        try devTools(
            "Page.setFontSizes",
            ["fontSizes": ["standard": JSONValue(16 * percent / 100), "fixed": JSONValue(13 * percent / 100)]])
    }

    /// Sets the language that the browser asks for and formats in, as `tr-TR`. Pages learn of it when they are opened next.
    public func emulate(locale: String) throws {
        let agent = try evaluate("return navigator.userAgent")
        try devTools("Emulation.setUserAgentOverride", ["userAgent": agent, "acceptLanguage": .string(locale)])
        try devTools("Emulation.setLocaleOverride", ["locale": .string(locale)])
    }

    /// Sets the time zone, by its name in the tz database, as `Europe/Istanbul`.
    public func emulate(timeZone: String) throws {
        try devTools("Emulation.setTimezoneOverride", ["timezoneId": .string(timeZone)])
    }

    /// Gives the browser another screen. After a touchscreen, media queries find neither a mouse nor a finger on a screen without touch.
    public func emulate(_ screen: BrowserScreen) throws {
        try devTools(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": JSONValue(screen.width), "height": JSONValue(screen.height),
                "deviceScaleFactor": JSONValue(screen.scale),
                "mobile": .bool(screen.isTouch),
            ])
        // Not when nothing changes: the mouse of the browser's start is forgotten with it.
        guard screen.isTouch != hasTouch else { return }
        try devTools(
            "Emulation.setTouchEmulationEnabled", ["enabled": .bool(screen.isTouch), "maxTouchPoints": JSONValue(5)])
        hasTouch = screen.isTouch
    }

    /// Gives the viewport a size, in CSS pixels, on a screen without touch.
    public func resize(width: Int, height: Int) throws { try emulate(BrowserScreen(width: width, height: height)) }
}
