import Model
import Settings

extension Doctor {
    /// Checks the settings alone.
    func checkSettings(_ settings: Settings) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        if let problem = settings.transportProblem {
            findings.append(.problem(problem, .settings, source: nil))
        } else if settings.tls == nil, !settings.listen.isLoopback, settings.publicURL != nil {
            findings.append(.plainHTTPBesideProxy(address: "http://\(settings.listen)"))
        }
        if let broker = settings.mqtt?.broker, !broker.usesTLS, broker.password != nil,
            !ListenAddress(host: broker.host, port: broker.port).isLoopback
        {
            findings.append(.brokerWithoutTLS(broker: "\(broker.host):\(broker.port)"))
        }
        return findings
    }

    /// Checks the settings together with what is in the store.
    func checkSettings(_ settings: Settings, with queries: Queries) throws(Problem) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        if let problem = try queries.accessList().problem(with: settings) {
            findings.append(.problem(problem, .settings, source: nil))
        }
        let repaired = try queries.devices().count { $0.autoRepair }
        if settings.autoRepairInterval == nil, repaired > 0 { findings.append(.autoRepairNever(devices: repaired)) }
        return findings
    }
}

extension AccessList {
    /// The problem that everyone in the network could use the service, because no token was ever made; nil if there is a token, or if only
    /// this machine can connect. The service does not start with it.
    package func problem(with settings: Settings) -> Problem? {
        guard isOpen, !settings.listen.isLoopback || settings.publicURL != nil else { return nil }
        return .validationFailed(
            field: settings.publicURL == nil ? "listen" : "public-url", value: settings.publicURL ?? "\(settings.listen)",
            reason: .openToOthers,
            expected: Phrase(
                "a token first ('picket token create NAME --role admin'), or an address that only this machine can reach"))
    }
}
