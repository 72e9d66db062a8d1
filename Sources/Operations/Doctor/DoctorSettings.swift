import Core
import Model
import Places
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
