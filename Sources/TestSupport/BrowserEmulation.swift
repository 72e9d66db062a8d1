import Model

/// Emulates the preferences of a person and the properties of a device. The emulation also applies to pages that are opened later.
extension Browser {
    package enum ColorScheme: String, Sendable {
        case light, dark
    }

    /// Sets the values of the media features `prefers-color-scheme` and `prefers-reduced-motion`.
    package func emulate(colorScheme: ColorScheme = .light, reducedMotion: Bool = false) throws {
        try devTools(
            "Emulation.setEmulatedMedia",
            [
                "features": [
                    ["name": "prefers-color-scheme", "value": .string(colorScheme.rawValue)],
                    ["name": "prefers-reduced-motion", "value": reducedMotion ? "reduce" : "no-preference"],
                ]
            ])
    }

    /// Disconnects the page from the network, or reconnects it. Service workers are not affected.
    package func emulate(offline: Bool) throws {
        let unlimited = JSONValue(-1)
        try devTools(
            "Network.emulateNetworkConditions",
            [
                "offline": .bool(offline), "latency": JSONValue(0), "downloadThroughput": unlimited,
                "uploadThroughput": unlimited,
            ])
    }

    /// Sets the default font size, on which `rem` depends.
    ///
    /// - Parameter percent: The percentage of the usual 16 pixels.
    package func zoomText(_ percent: Int) throws {
        // The usual size of fixed-width fonts is 13 pixels.
        try devTools(
            "Page.setFontSizes",
            ["fontSizes": ["standard": JSONValue(16 * percent / 100), "fixed": JSONValue(13 * percent / 100)]])
    }

    /// Sets the language for `Accept-Language` and formats, such as `tr-TR`. It takes effect when a page is opened.
    package func emulate(locale: String) throws {
        let agent = try evaluate("return navigator.userAgent")
        try devTools("Emulation.setUserAgentOverride", ["userAgent": agent, "acceptLanguage": .string(locale)])
        try devTools("Emulation.setLocaleOverride", ["locale": .string(locale)])
    }

    /// Sets the time zone by its name in the tz database, such as `Europe/Istanbul`.
    package func emulate(timeZone: String) throws {
        try devTools("Emulation.setTimezoneOverride", ["timezoneId": .string(timeZone)])
    }

    /// Emulates another screen. After a touchscreen was emulated, media queries find neither a mouse nor a finger on a screen without
    /// touch.
    package func emulate(_ screen: BrowserScreen) throws {
        try devTools(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": JSONValue(screen.width), "height": JSONValue(screen.height),
                "deviceScaleFactor": JSONValue(screen.scale),
                "mobile": .bool(screen.isTouch),
            ])
        // The call is left out when nothing changes, because it also removes the mouse that the browser has from the start.
        guard screen.isTouch != hasTouch else { return }
        try devTools(
            "Emulation.setTouchEmulationEnabled", ["enabled": .bool(screen.isTouch), "maxTouchPoints": JSONValue(5)])
        hasTouch = screen.isTouch
    }

    /// Sets the size of the viewport in CSS pixels, on a screen without touch.
    package func resize(width: Int, height: Int) throws { try emulate(BrowserScreen(width: width, height: height)) }
}
