import Model

/// The logs of the browser.
extension Browser {
    /// The errors since the last call, one line each: uncaught exceptions, `console.error`, failed requests, and violations of the Content
    /// Security Policy.
    package func consoleErrors() throws -> [String] {
        try log("browser").filter { $0["level"]?.string == "SEVERE" }.map { $0["message"]?.string ?? "\($0)" }
    }

    /// The URLs that pages requested since the last call, in order, including those that a policy or the network blocked. Requests of
    /// workers are not included.
    package func requests() throws -> [String] {
        try log("performance").compactMap { (entry) -> String? in
            guard let text = entry["message"]?.string, let message = try JSONParser.parse(text)["message"] else { return nil }
            let parameters = message["params"]
            let url: JSONValue? =
                switch message["method"]?.string {
                case "Network.requestWillBeSent": parameters?["request"]?["url"]
                case "Network.webSocketCreated": parameters?["url"]
                default: .none
                }
            // `data:` and `blob:` URLs cause no network request.
            guard let url = url?.string, url.hasPrefix("http") || url.hasPrefix("ws") else { return nil }
            return url
        }
    }

    /// The page's metrics after a garbage collection, by their names in DevTools: `JSHeapUsedSize` in bytes, `Nodes`, `JSEventListeners`,
    /// `ScriptDuration` in seconds, and others.
    package func metrics() throws -> [String: Double] {
        try devTools("HeapProfiler.collectGarbage")
        try devTools("Performance.enable")
        let metrics = try devTools("Performance.getMetrics")["metrics"]?.array ?? []
        return Dictionary(
            metrics.compactMap { metric in
                guard let name = metric["name"]?.string, let value = metric["value"]?.double else { return nil }
                return (name, value)
            }, uniquingKeysWith: { $1 })
    }

    /// The entries of a log of the driver since the last call.
    private func log(_ type: JSONValue) throws -> [JSONValue] { try post("se/log", ["type": type]).array ?? [] }
}
