import HTTPClient

extension HTTPClient.Options {
    /// Options for tests, which connect to this machine only: without proxies, and with timeouts that no answer exceeds.
    package static var patient: Self {
        var options = Self()
        options.connectTimeout = Watchdog.seconds
        options.timeout = Watchdog.seconds
        options.usesProxies = false
        return options
    }
}
